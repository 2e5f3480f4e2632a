"""Reviews read like English, and their one opinion word tells the class as often as it says."""

import re
from collections import Counter

import numpy as np
import pytest

from sightline.config.spec_syntax import parse_data
from sightline.core.errors import SpecError
from sightline.core.tokeniser import tokenise
from sightline.data.load_dataset import load
from sightline.data.synthetic.product_reviews import (
    LABELS,
    OPINION,
    OPINIONS,
    SLOTS,
    SUBJECTS,
    _filled,
    read_reviews,
)

CLASS_OF = {word: label for label, words in OPINIONS.items() for word in words}


def reviews(text, seed=0):
    data = load(parse_data(f"planted:{text}"), seed)
    return data, [example for split in data.splits.values() for example in split]


def opinion(example):
    """The marked words of a review."""
    return [token for token, mark in zip(example.tokens, example.rationale, strict=True) if mark]


@pytest.mark.parametrize("strength", [0.9, 0.25, 1.0])
def test_one_opinion_word_points_to_the_class_as_often_as_asked(strength):
    data, examples = reviews(f"reviews(n=2000,strength={strength})")
    pointed = []
    for example in examples:
        (word,) = opinion(example)
        assert [token for token in example.tokens if token in CLASS_OF] == [word]
        assert (example.tokens, example.offsets) == tokenise(example.text)
        pointed.append(CLASS_OF[word] == data.label_names[example.label])
    spread = 4 * (strength * (1 - strength) / len(examples)) ** 0.5
    assert np.mean(pointed) == pytest.approx(strength, abs=spread + 1e-12)
    assert data.card["best_accuracy"] == max(strength, 1 - strength)


def test_no_other_word_tells_the_class():
    """Every fact occurs in both classes about equally often."""
    _, examples = reviews("reviews(n=4000)")
    counts = {word: Counter() for example in examples for word in example.tokens}
    for example in examples:
        for word in set(example.tokens):
            counts[word][example.label] += 1
    for word, count in counts.items():
        n = sum(count.values())
        if word not in CLASS_OF:
            assert abs(count[0] - n / 2) < 5 * (n / 4) ** 0.5 + 1, word


def test_a_review_is_as_many_whole_sentences_as_asked_and_no_fact_stands_twice():
    fact_templates = min(len(subject.facts) for subject in SUBJECTS)
    for sentences in (2, 5, fact_templates + 1):
        for example in reviews(f"reviews(n=60,sentences={sentences})")[1]:
            parts = re.findall(r"[A-Z][^.]*\.", example.text)
            assert len(parts) == len(set(parts)) == sentences
            assert " ".join(parts) == example.text
            assert not set("{}") & set(example.text)


def test_the_longest_review_is_no_longer_than_the_options_say():
    part = parse_data("planted:reviews(n=800,sentences=13)").part
    longest = read_reviews(part).longest
    assert max(len(one.tokens) for one in reviews("reviews(n=800,sentences=13)")[1]) <= longest
    full = max(
        len(tokenise(_filled(one, "bad", np.random.default_rng(0)))[0])
        for subject in SUBJECTS
        for one in (*subject.facts, *subject.opinions)
    )
    assert longest == 13 * full


def test_fewer_opinion_words_are_the_first_of_each_class():
    seen = {
        word for example in reviews("reviews(n=400,opinions=2)")[1] for word in opinion(example)
    }
    assert seen == {word for words in OPINIONS.values() for word in words[:2]}


def test_opinion_words_stand_in_no_template_and_can_follow_the_article_a():
    for subject in SUBJECTS:
        text = " ".join((*subject.facts, *subject.opinions)).lower()
        assert not set(CLASS_OF) & set(re.findall(r"[a-z]+", text))
        assert all(f"{{{OPINION}}}" in one for one in subject.opinions)
        assert not any(f"{{{OPINION}}}" in one for one in subject.facts)
    # every slot is one word, so that the longest review is known, and none starts with a vowel
    # that "a" could not precede
    words = [*CLASS_OF, *(word for slot in SLOTS.values() for word in slot)]
    assert all(" " not in word for word in words)
    after_a = ["relative", "job", "room", "product", "colour"]
    assert not any(
        word[0] in "aeiou" for word in [*CLASS_OF, *(w for s in after_a for w in SLOTS[s])]
    )


def test_the_seed_decides_and_labels_are_balanced():
    data, examples = reviews("reviews(n=400)", 1)
    assert data.label_names == LABELS == ("negative", "positive")
    assert reviews("reviews(n=400)", 1)[1] == examples
    assert reviews("reviews(n=400)", 2)[1] != examples
    assert [len(split) for split in data.splits.values()] == [240, 60, 100]
    for card in data.card["splits"].values():
        assert max(card["labels"].values()) - min(card["labels"].values()) <= 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("reviews(sentences=1)", "expected sentences from 2 to 13, got 1"),
        ("reviews(sentences=14)", "expected sentences from 2 to 13, got 14"),
        ("reviews(opinions=9)", "expected opinions from 1 to 8, got 9"),
        ("reviews(strength=1.5)", "expected strength from 0 to 1"),
        ("reviews(n=1000000,sentences=13)", "182,000,000 words"),
        ("reviews(n=6)", "a text of each class in each split, got n=6"),
    ],
)
def test_options_that_make_no_sense_are_refused(text, message):
    with pytest.raises(SpecError) as caught:
        load(parse_data(f"planted:{text}"), 0)
    assert message in str(caught.value)
