"""A literal rule reads the premise: the label is what it says, the marked words are all it
needs.
"""

from collections import Counter

import numpy as np
import pytest

from sightline.config.part_syntax import parse_part
from sightline.config.spec_syntax import parse_data
from sightline.core.errors import SpecError
from sightline.core.tokeniser import tokenise
from sightline.data.load_dataset import load
from sightline.data.synthetic.entailment_pairs import (
    COLOURS,
    THINGS,
    bag_of_words_accuracy,
    read_pairs,
)


def pairs(text, seed=0):
    data = load(parse_data(f"planted:{text}"), seed)
    return data, [example for split in data.splits.values() for example in split]


def relation(tokens, query):
    """Look for the thing, and at the word before it."""
    _, thing, _, colour = query
    place = tokens.index(thing)
    before = tokens[place - 1] if place else ""
    if before not in COLOURS:
        return "neutral", {place}
    return ("entailment" if before == colour else "contradiction"), {place - 1, place}


@pytest.mark.parametrize("text", ["pair(n=800)", "pair(n=800,length=8,things=3,kinds=8,colours=2)"])
def test_the_label_is_what_the_premise_says_of_the_thing(text):
    data, examples = pairs(text)
    for example in examples:
        label, places = relation(example.tokens, example.query)
        assert data.label_names[example.label] == label
        assert {place for place, mark in enumerate(example.rationale) if mark} == places
        assert example.candidates == (0, 1, 2)
        assert (example.tokens, example.offsets) == tokenise(example.text)
    assert data.card["best_accuracy"] == 1.0


def test_a_premise_has_the_words_that_were_asked_for():
    for example in pairs("pair(n=400,length=10,things=3,kinds=5,colours=3)")[1]:
        counts = Counter(
            "thing" if t in THINGS else "colour" if t in COLOURS else "filler"
            for t in example.tokens
        )
        assert counts == {"thing": 3, "colour": 3, "filler": 4}
        assert set(example.tokens) & set(THINGS) <= set(THINGS[:5])
        assert set(example.tokens) & set(COLOURS) <= set(COLOURS[:3])


@pytest.mark.parametrize("noise", [0.3, 0.9])
def test_noise_changes_labels_as_often_as_asked(noise):
    data, examples = pairs(f"pair(n=1000,noise={noise})")
    right = np.mean([data.label_names[e.label] == relation(e.tokens, e.query)[0] for e in examples])
    assert right == pytest.approx(1 - noise, abs=4 * (noise * (1 - noise) / 1000) ** 0.5)
    assert data.card["best_accuracy"] == pytest.approx(max(1 - noise, noise / 2))


@pytest.mark.parametrize(
    "text", ["pair(n=1600,length=8)", "pair(n=1600,length=8,things=3,colours=2,noise=0.2)"]
)
def test_without_order_the_best_rule_is_as_good_as_stated(text):
    """The rule is fitted to half of the pairs: how often the colour occurs, to the likeliest
    label.
    """
    data, examples = pairs(text)
    seen = [(example.tokens.count(example.query[3]), example.label) for example in examples]
    rule = {
        m: Counter(label for n, label in seen[:800] if n == m).most_common(1)[0][0]
        for m, _ in seen[:800]
    }
    reached = np.mean([rule[m] == label for m, label in seen[800:]])
    assert reached == pytest.approx(data.card["bag_of_words_accuracy"], abs=0.06)
    assert data.card["bag_of_words_accuracy"] < data.card["best_accuracy"]


def test_accuracies_known_by_hand():
    # one thing: its colour is the one said (entailment), another (contradiction), or any of four
    # (neutral)
    assert bag_of_words_accuracy(read_pairs(parse_part("pair(things=1)"))) == pytest.approx(
        (1 + 1) / 3
    )
    assert bag_of_words_accuracy(read_pairs(parse_part("pair(things=1,noise=0.5)"))) < 0.5


def test_the_hypothesis_alone_tells_nothing():
    _, examples = pairs("pair(n=1200,kinds=3,colours=2)")
    counts = Counter((example.query, example.label) for example in examples)
    assert len(counts) == 3 * 2 * 3
    assert all(abs(n - 1200 / 18) < 4 * (1200 / 18) ** 0.5 for n in counts.values())


def test_the_seed_decides_and_labels_are_balanced():
    data, examples = pairs("pair(n=400)", 1)
    assert pairs("pair(n=400)", 1)[1] == examples
    assert pairs("pair(n=400)", 2)[1] != examples
    for card in data.card["splits"].values():
        assert max(card["labels"].values()) - min(card["labels"].values()) <= 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("pair(things=5)", "1 to kinds=4 things in a premise, got things=5"),
        ("pair(kinds=9)", "expected kinds from 1 to 8, got 9"),
        ("pair(colours=1)", "expected colours from 2 to 8, got 1"),
        ("pair(fillers=0)", "expected fillers from 1 to 6,400"),
        ("pair(noise=1.5)", "expected noise from 0 to 1"),
        ("pair(length=5)", "at least 6 words, got length=5"),
        ("pair(n=6)", "a text of each label in each split, got n=6"),
        ("pair(facts=2)", "unknown option 'facts'"),
    ],
)
def test_options_that_make_no_sense_are_refused(text, message):
    with pytest.raises(SpecError, match=message):
        pairs(text)
