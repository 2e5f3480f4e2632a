"""Texts that share most of their words count as one in every interval; honest texts stay apart."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline.audits.run import audit
from sightline.config.spec_syntax import parse_data
from sightline.core.example import Example
from sightline.core.seeds import seed_for
from sightline.data.dataset import Dataset, make_card
from sightline.data.load_dataset import load
from sightline.data.near_duplicates import (
    ALIKE,
    FEWEST,
    NEAR,
    _common,
    _near,
    _places,
    counted_once,
    representatives,
)
from sightline.measures.predictions import Predictions
from sightline.report.data_notes import noted
from sightline.report.text.audit_summary import lines
from sightline.stats.contrasts import paired
from sightline.studies.calibration.scenarios import WORLDS
from tests.texts import example, untrained

KINDS = 3000
ZIPF = 1 / np.arange(1, KINDS + 1)
ZIPF /= ZIPF.sum()
TEXTS, LENGTH = 100, 30
NAMES = np.array([f"w{number}" for number in range(KINDS)])


def drawn(size: int, edited: float, seed: int) -> np.ndarray:
    """Draw texts in families of ``size``: a text, and others in which a share of its words is drawn
    again.
    """
    generator = np.random.default_rng([seed, size])
    texts = generator.choice(KINDS, size=(TEXTS // size, LENGTH), p=ZIPF).repeat(size, axis=0)
    again = generator.random(texts.shape) < edited
    again[::size] = False
    return np.where(again, generator.choice(KINDS, size=texts.shape, p=ZIPF), texts)


def written(texts: np.ndarray) -> list[tuple[str, ...]]:
    return [tuple(NAMES[row].tolist()) for row in texts]


def together(found: Sequence[int]) -> set[frozenset[int]]:
    return {frozenset(np.flatnonzero(np.array(found) == one).tolist()) for one in found}


def literal(texts: Sequence[tuple[str, ...]]) -> list[int]:
    """Compare each text with every earlier one that stands for itself, by the table of common
    subsequences.
    """
    order = sorted(range(len(texts)), key=lambda i: seed_for(0, "near copies", " ".join(texts[i])))
    above: dict[int, int] = {}
    for at, one in enumerate(order):
        near = (
            other
            for other in order[:at]
            if above[other] == other and table(texts[one], texts[other]) >= ALIKE
        )
        above[one] = next(near, one)
    return [above[one] for one in range(len(texts))]


def table(one: Sequence[str], other: Sequence[str]) -> float:
    found = np.zeros((len(one) + 1, len(other) + 1), dtype=int)
    for i, a in enumerate(one):
        for j, b in enumerate(other):
            found[i + 1, j + 1] = (
                found[i, j] + 1 if a == b else max(found[i, j + 1], found[i + 1, j])
            )
    return float(found[-1, -1]) / max(len(one), len(other))


@given(
    st.lists(st.sampled_from("abcd"), min_size=1, max_size=9),
    st.lists(st.sampled_from("abcd"), min_size=1, max_size=9),
)
def test_bits_count_the_longest_common_subsequence(one: list[str], other: list[str]) -> None:
    common = _common(_places(one), len(one), other)
    assert common / max(len(one), len(other)) == pytest.approx(table(one, other))
    assert common == _common(_places(other), len(other), one)


@pytest.mark.parametrize("edited", [0.03, 0.1, 0.2])
def test_what_is_found_is_what_comparing_all_texts_finds(edited: float) -> None:
    texts = [*dict.fromkeys(written(drawn(5, edited, seed=1)))]
    assert together(representatives(texts)) == together(literal(texts))


@pytest.mark.parametrize(("missing", "near"), [(0, True), (1, False)])
def test_as_many_equal_words_as_it_takes_are_enough(missing: int, near: bool) -> None:
    """The rest of the other text is other words, or is not there."""
    one = tuple(NAMES[:20].tolist())
    kept = one[: round(ALIKE * 20) - missing]
    for other in (kept, (*kept, *("else",) * (20 - len(kept)))):
        assert _near(_places(one), one, other) == _near(_places(other), other, one) == near


def test_families_are_found_and_other_texts_stay_apart() -> None:
    assert together(representatives(written(drawn(10, 0.03, seed=0)))) == {
        frozenset(range(first, first + 10)) for first in range(0, TEXTS, 10)
    }
    assert len(set(representatives(written(drawn(1, 0, seed=0))))) == TEXTS


def test_the_order_of_texts_does_not_matter() -> None:
    texts = written(drawn(5, 0.12, seed=2))
    order = np.random.default_rng(0).permutation(TEXTS)
    turned = representatives([texts[one] for one in order])
    back = {frozenset(int(order[place]) for place in some) for some in together(turned)}
    assert back == together(representatives(texts))


def test_no_chain_of_small_steps_joins_a_corpus() -> None:
    """Each text differs from the next by one word: linked in a chain, all would be one."""
    words = NAMES[:140].tolist()
    texts = [tuple(words[start : start + 20]) for start in range(120)]
    found = representatives(texts)
    assert all(table(text, texts[one]) >= ALIKE for text, one in zip(texts, found, strict=True))
    assert max(Counter(found).values()) <= 11  # five steps before and five after
    assert len(set(found)) >= 120 / 11


def test_signs_and_case_make_no_other_text_and_short_texts_are_compared_as_they_are() -> None:
    long = NAMES[:FEWEST].tolist()
    assert representatives([tuple(long), (*map(str.upper, long), "!")]) == [0, 0]
    short = long[:-1]
    assert representatives([tuple(short), (*short, "!"), tuple(short)]) == [0, 1, 0]
    assert representatives([]) == []


@pytest.mark.parametrize("data", sorted({world.data for world in WORLDS}))
def test_no_texts_of_the_scenarios_are_near_copies(data: str) -> None:
    dataset = load(parse_data(f"planted:{data}"), 0)
    assert counted_once(dataset) is dataset
    assert len(set(representatives([text.tokens for text in dataset.test]))) == len(dataset.test)


def some(texts: Sequence[tuple[str, ...]], groups: Sequence[str] = ()) -> Dataset:
    made = [example(" ".join(words), index, index % 2) for index, words in enumerate(texts)]
    if groups:
        made = [replace(text, group=group) for text, group in zip(made, groups, strict=True)]
    return Dataset("some", (), (), tuple(made), ("class 0", "class 1"), {"notes": ["known before"]})


def grouped(texts: Sequence[Example]) -> set[frozenset[int]]:
    """Give the texts that share a group."""
    names: dict[str, set[int]] = {}
    for place, text in enumerate(texts):
        names.setdefault(text.group or text.id, set()).add(place)
    return {frozenset(one) for one in names.values()}


def test_copies_near_copies_and_groups_are_joined_by_components() -> None:
    a, b, c = (tuple(NAMES[start : start + 20].tolist()) for start in (0, 100, 200))
    near = ("else", *a[1:])
    found = counted_once(some([a, near, b, b, c], ["x", "y", "y", "", "z"]))
    assert grouped(found.test) == {frozenset({0, 1, 2, 3}), frozenset({4})}
    assert found.test[4].group == "z"
    about = found.card["near_copies"]
    assert (about["texts"], about["count_as"], about["largest"]) == (4, 1, 4)


def test_equal_words_and_groups_alone_change_nothing() -> None:
    a, b = (tuple(NAMES[start : start + 20].tolist()) for start in (0, 100))
    for data in (some([a, a, b]), some([a, b, b], ["", "x", "x"])):
        assert counted_once(data) is data


@pytest.mark.parametrize("source", ["planted:needle(n=9)", "sst:some/folder"])
def test_published_and_planted_texts_stay_as_they_are(source: str) -> None:
    data = some(written(drawn(5, 0.03, seed=0)))
    card = make_card(data.splits, data.label_names, source=source)
    assert counted_once(replace(data, card=card)).test == data.test
    assert counted_once(replace(data, card={**card, "columns": {"text": "a"}})).test != data.test


def test_an_audit_counts_near_copies_once_and_says_so() -> None:
    texts = written(drawn(5, 0.03, seed=0))
    model = untrained("mlp(hidden=6)+additive")
    found = audit(model, some(texts), measures=(Predictions(),))
    assert len(np.unique(found.measurements["outputs"].values["cluster"])) == TEXTS // 5
    assert found.metrics["accuracy"].method.endswith(f"over {TEXTS // 5} clusters of texts")
    about = found.cards["data"]["near_copies"]
    assert about == {"texts": TEXTS, "count_as": TEXTS // 5, "largest": 5, "alike": ALIKE}
    (message,) = [note for note in found.cards["data"]["notes"] if NEAR in note]
    assert "known before" in found.cards["data"]["notes"]
    assert any(NEAR in line for line in noted(found))
    assert any(NEAR in line for line in lines(found))
    assert message.startswith("100 of 100 test texts")
    assert message.endswith("count as 20")


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    """The small version of what decision 0095 counts over 1,000 audits: texts apart, and near
    copies as one.
    """
    worth = np.random.default_rng(95).normal(size=KINDS)

    def value(texts: np.ndarray) -> np.ndarray:
        return np.asarray(1 / (1 + np.exp(-2 - worth[texts].sum(axis=-1) / 2)))

    truth = (
        value(np.random.default_rng(0).choice(KINDS, size=(100_000, LENGTH), p=ZIPF)).mean() - 0.2
    ) / 0.8
    held = {"apart": 0, "as one": 0}
    for seed in range(60):
        texts = drawn(5, 0.05, seed)
        found = {"apart": np.arange(TEXTS), "as one": np.array(representatives(written(texts)))}
        for name, clusters in found.items():
            score = paired(value(texts), np.full(TEXTS, 0.2), 0, clusters=clusters).score
            held[name] += score.low <= truth <= score.high
    assert held["apart"] <= 48  # of 60: near .63 expected
    assert held["as one"] >= 52  # .95 expected; fewer once in a thousand
