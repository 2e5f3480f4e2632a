"""The truth that is planted is there: a literal rule on the marked words reaches the stated
accuracy, and no more.
"""

import itertools
import json
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sightline.config.part_syntax import parse_part
from sightline.config.spec_syntax import parse_data
from sightline.core.errors import SpecError
from sightline.core.tokeniser import tokenise
from sightline.data.load_dataset import load
from sightline.data.synthetic.cue_words import CLASSES, best_accuracy, plant, read_world
from tests.snapshots import refused

PARTS = [
    "needle(n=3000)",
    "needle(n=3000,strength=0.8,noise=0.1)",
    "needle(n=3000,classes=4,strength=0.7,noise=0.2,count=3)",
    "needle(n=3000,strength=0.2)",
    "vote(n=3000)",
    "vote(n=3000,cues=4,noise=0.1)",
    "vote(n=3000,cues=3,strength=0.2)",
    "negated(n=3000)",
    "negated(n=3000,noise=0.15,length=12)",
    "detector(n=3000)",
    "detector(n=3000,positives=0.1,noise=0.2)",
    "detector(n=3000,positives=0.3,noise=0.4)",
    "detector(n=3000,positives=0.1,noise=0.7)",
    "vote(n=3000,cues=9,length=9,vary=false)",
]


def everything(data):
    return [example for split in data.splits.values() for example in split]


def evidence(example):
    return [token for token, mark in zip(example.tokens, example.rationale, strict=True) if mark]


def vote(example, names):
    """Half a point for each side of a tie: the class each cue names, and "not" turns it."""
    marked = evidence(example)
    counts = Counter(names.index(token.rstrip("0123456789")) for token in marked if token != "not")
    best = [label for label, count in counts.items() if count == max(counts.values())]
    best = [1 - label for label in best] if "not" in marked else best
    return (example.label in best) / len(best)


@pytest.mark.parametrize("text", PARTS)
def test_a_literal_rule_on_the_marked_words_reaches_the_stated_accuracy(text):
    data = plant(parse_part(text), seed=0)
    examples = everything(data)
    stated = data.card["best_accuracy"]
    if text.startswith("detector"):
        # the best rule says of each sight, a cue or none, what is more often written down
        seen = Counter((any(example.rationale), example.label) for example in examples)
        right = sum(max(seen[sight, 0], seen[sight, 1]) for sight in (False, True)) / len(examples)
    else:
        right = sum(vote(example, data.label_names) for example in examples) / len(examples)
    # where cues mislead more often than not, the best rule for two classes is the opposite one
    right = max(right, 1 - right) if len(data.label_names) == 2 else right
    assert abs(right - stated) <= 4 * (stated * (1 - stated) / len(examples)) ** 0.5 + 1e-12


@pytest.mark.parametrize(
    ("strength", "noise", "cues"), [(0.7, 0.0, 5), (0.6, 0.1, 4), (0.3, 0.3, 3), (0.9, 0.8, 2)]
)
def test_the_accuracy_of_a_vote_is_that_of_the_likeliest_label(strength, noise, cues):
    total = 0.0
    for pointed in itertools.product((0, 1), repeat=cues):
        chance = []
        for label in (0, 1):
            truths = [(1 - noise if truth == label else noise, truth) for truth in (0, 1)]
            likely = 0.0
            for weight, truth in truths:
                for one in pointed:
                    weight *= strength if one == truth else 1 - strength
                likely += weight
            chance.append(likely / 2)
        total += max(chance)
    world = read_world(parse_part(f"vote(strength={strength},noise={noise},cues={cues})"))
    assert best_accuracy(world) == pytest.approx(total, abs=1e-12)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("needle", 1.0),
        ("needle(noise=0.25)", 0.75),
        ("needle(strength=0.8,noise=0.1)", 0.8 * 0.9 + 0.2 * 0.1),
        ("needle(classes=3,strength=0.0)", 0.5),
        ("vote(cues=1,strength=0.7)", 0.7),
        ("vote(cues=3,strength=0.7)", 0.784),
        ("negated(noise=0.2)", 0.8),
        ("detector(positives=0.1)", 1.0),
        ("detector(positives=0.1,noise=0.5)", 0.9),
        ("detector(positives=0.25,noise=0.25)", 0.1875 + 0.5625),
    ],
)
def test_accuracies_known_by_hand(text, expected):
    assert plant(parse_part(text), 0).card["best_accuracy"] == pytest.approx(expected)


@pytest.mark.parametrize(
    "text", ["needle(n=400,classes=3)", "vote(n=400)", "negated(n=400)", "detector(n=400)"]
)
def test_a_corpus_is_balanced_split_and_plain(text):
    data = load(parse_data(f"planted:{text}"), 5)
    assert [len(split) for split in data.splits.values()] == [240, 60, 100]
    for card in data.card["splits"].values():
        assert max(card["labels"].values()) - min(card["labels"].values()) <= 1
    assert sorted(example.index for example in everything(data)) == list(range(400))
    assert json.loads(json.dumps(data.card, allow_nan=False)) == data.card
    labels = [example.label for example in data.train]
    assert labels != sorted(labels)


@pytest.mark.parametrize("text", PARTS)
def test_the_seed_decides(text):
    part = parse_part(text.replace("3000", "60"))
    assert plant(part, 1) == plant(part, 1)
    assert plant(part, 1).train != plant(part, 2).train


@given(
    st.sampled_from(["needle", "vote", "negated", "detector"]),
    st.integers(12, 40),
    st.booleans(),
    st.integers(1, 6400),
    st.integers(0, 3),
    st.booleans(),
    st.booleans(),
)
@settings(max_examples=25)
def test_a_text_is_its_words_and_its_length_is_as_asked(
    kind, length, vary, fillers, seed, opening, ending
):
    flags = ",".join(
        f"{k}={str(v).lower()}"
        for k, v in {"vary": vary, "opening": opening, "ending": ending}.items()
    )
    part = parse_part(f"{kind}(n=20,length={length},fillers={fillers},{flags})")
    data = plant(part, seed)
    longest = read_world(part).longest
    for example in everything(data):
        assert (example.tokens, example.offsets) == tokenise(example.text)
        assert example.text == " ".join(example.tokens)
        assert len(example.tokens) <= longest
        words = len(example.tokens) - opening - ending
        assert 2 * length / 3 <= words <= 4 * length / 3 if vary else words == length


def test_lengths_vary_over_their_whole_range():
    lengths = {
        len(example.tokens)
        for example in everything(plant(parse_part("needle(n=2000,length=30)"), 0))
    }
    assert lengths == set(range(20, 41))


def test_evidence_is_marked_and_everything_else_is_filler():
    for text, wanted in [("needle", 1), ("needle(count=3)", 3), ("vote(cues=7)", 7)]:
        for example in plant(parse_part(text), 0).test:
            marked = set(evidence(example))
            assert sum(example.rationale) == wanted
            assert all(token[:-1] in CLASSES for token in marked)
            assert not marked & {
                t for t, mark in zip(example.tokens, example.rationale, strict=True) if not mark
            }


@pytest.mark.parametrize("kind", ["needle", "vote", "negated", "detector"])
def test_the_words_that_begin_and_end_every_text_are_beside_the_others_and_no_evidence(kind):
    plain, framed = (
        plant(parse_part(f"{kind}(n=40{more})"), 0) for more in ("", ",opening=true,ending=true")
    )
    for before, after in zip(everything(plain), everything(framed), strict=True):
        assert after.tokens == ("the", *before.tokens, ".")
        assert after.rationale == (False, *before.rationale, False)
        assert after.label == before.label


@pytest.mark.parametrize(
    ("share", "positives"), [(0.5, (240, 60, 100)), (0.1, (48, 12, 20)), (0.02, (10, 2, 4))]
)
def test_a_detector_has_the_share_of_positives_in_each_split_and_a_cue_in_these_alone(
    share, positives
):
    data = plant(parse_part(f"detector(n=800,positives={share})"), 0)
    assert (
        tuple(sum(example.label for example in split) for split in data.splits.values())
        == positives
    )
    for example in everything(data):
        assert sum(example.rationale) == example.label
        assert all(token[:-1] == "beta" for token in evidence(example))
        assert not any(token[:-1] in CLASSES for token in example.tokens) or example.label


def test_a_vote_may_have_no_other_word_than_its_cues():
    for example in plant(parse_part("vote(n=80,cues=9,length=9,vary=false)"), 0).test:
        assert all(example.rationale)


def test_fillers_and_needles_are_as_many_as_asked():
    counts = Counter(
        token[:-1] in CLASSES
        for token in {t for e in plant(parse_part("needle(n=2000)"), 0).train for t in e.tokens}
    )
    assert counts == {False: 200, True: 8}
    assert (
        len(
            {
                t
                for e in plant(parse_part("vote(n=2000,length=60,fillers=6400)"), 0).train
                for t in e.tokens
            }
        )
        > 6300
    )


def test_only_order_tells_a_negated_text():
    data = plant(parse_part("negated(n=3000)"), 0)
    examples = everything(data)
    assert all(example.tokens.count("not") == 1 for example in examples)
    cues = Counter((next(t for t in e.tokens if t[:-1] in CLASSES)[:-1], e.label) for e in examples)
    assert all(abs(count - 750) < 110 for count in cues.values())  # 750 expected, 4 sigma
    assert len(cues) == 4
    assert data.card["bag_of_words_accuracy"] == 0.5
    before = Counter()
    for example in examples:
        place = next(i for i, token in enumerate(example.tokens) if token[:-1] in CLASSES)
        before[example.tokens[place - 1] == "not", "not" in evidence(example)] += 1
    assert set(before) == {(True, True), (False, False)}
    assert abs(before[True, True] - 1500) < 110


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "haystack",
            "unknown planted corpus 'haystack'; expected one of needle, vote, negated, detector",
        ),
        ("needle(n=8)", r"a text of each of 2 classes in each split, got n=8; make n larger"),
        ("needle(n=-5)", r"expected n from 1 to 1,000,000, got -5"),
        ("needle(length=1)", r"at least 2 words, got 1"),
        ("needle(count=0)", "expected count from 1 to 1,000, got 0"),
        ("needle(classes=1)", r"expected classes from 2 to 24, got 1"),
        ("needle(classes=25)", r"expected classes from 2 to 24, got 25"),
        ("needle(strength=1.5)", r"expected strength from 0 to 1, got 1.5"),
        ("needle(noise=-0.1)", r"expected noise from 0 to 1"),
        ("needle(strength=nan)", r"expected strength from 0 to 1, got nan"),
        ("needle(fillers=0)", r"expected fillers from 1 to 6,400"),
        ("needle(needles=0)", r"expected needles from 1 to 1,000, got 0"),
        ("vote(cues=21,length=30)", r"at least 21 words, got 20"),
        ("detector(positives=0.0)", "expected positives above 0 and below 1, got 0.0"),
        ("detector(positives=1.0)", "expected positives above 0 and below 1, got 1.0"),
        (
            "detector(n=100,positives=0.02)",
            "a text of each of 2 classes in each split, got n=100; make n larger",
        ),
        ("detector(strength=0.5)", "unknown option 'strength'"),
        ("vote(classes=3)", "unknown option 'classes'"),
        ("negated(length=3)", "at least 4 words"),
        ("needle(n=many)", "n should be of the kind of 2000"),
    ],
)
def test_options_that_make_no_sense_are_refused(text, message):
    with pytest.raises(SpecError, match=message):
        load(parse_data(f"planted:{text}"), 0)


def test_texts_longer_than_allowed_are_refused_not_cut():
    with refused(SpecError):
        load(parse_data("planted:needle(length=600)"), 0)
