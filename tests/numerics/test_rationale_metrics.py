"""How well scores find marked words: scikit-learn and a literal twin, and floors over every
permutation.
"""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score

from sightline.numerics import rationale_metrics as fast
from tests.reference import marked as slow

PAIRS = [
    (fast.average_precision, slow.average_precision),
    (fast.found_on_top, slow.f1_on_top),
]
FLOORS = [
    (fast.average_precision_by_chance, slow.average_precision),
    (fast.found_by_chance, slow.f1_on_top),
]
TEXT = st.lists(st.tuples(st.integers(0, 3), st.booleans()), min_size=2, max_size=4)


def asked(text: list[tuple[int, bool]]) -> bool:
    """Some words are marked and some are not, and they are not all alike."""
    return len({mark for _, mark in text}) == 2 and len({score for score, _ in text}) > 1


def padded(texts: list[list[tuple[int, bool]]]) -> tuple[np.ndarray, ...]:
    width = max(map(len, texts))
    scores, marks, mask = (
        np.zeros((len(texts), width)),
        *(np.zeros((len(texts), width), dtype=bool) for _ in "ab"),
    )
    for row, text in enumerate(texts):
        scores[row, : len(text)], marks[row, : len(text)] = zip(*text, strict=True)
        scores[row, len(text) :], marks[row, len(text) :] = 9.0, True  # padding that would be seen
        mask[row, : len(text)] = True
    return scores, marks, mask


@pytest.mark.parametrize(("ours", "literal"), PAIRS)
@settings(max_examples=40)
@given(texts=st.lists(TEXT.filter(asked), min_size=1, max_size=3))
def test_each_text_has_the_literal_score(ours: Callable, literal: Callable, texts: list) -> None:
    expected = [literal(*zip(*text, strict=True)) for text in texts]
    assert ours(*padded(texts)) == pytest.approx(expected)


@pytest.mark.parametrize(("ours", "literal"), FLOORS)
@settings(max_examples=40)
@given(text=TEXT.filter(asked))
def test_the_floor_is_the_mean_over_every_permutation(
    ours: Callable, literal: Callable, text: list
) -> None:
    assert ours(*padded([text]))[0] == pytest.approx(
        slow.by_chance(literal, *zip(*text, strict=True))
    )


def test_the_area_is_that_of_scikit_learn() -> None:
    random = np.random.default_rng(0)
    for length in (2, 7, 40, 300):
        scores, marks = (
            random.integers(0, length, length).astype(float),
            random.random(length) < 0.3,
        )
        marks[:2], scores[:2] = (True, False), (0, 1)
        found = fast.average_precision(scores[None], marks[None], np.ones((1, length), dtype=bool))
        assert found[0] == pytest.approx(average_precision_score(marks, scores))


def test_one_marked_word_of_ten_is_found_by_chance_more_often_than_its_share() -> None:
    """The harmonic number of ten, over ten; the share of marked words is the floor of F1 alone."""
    scores, marks, mask = (
        np.arange(10.0)[None],
        np.eye(10, dtype=bool)[:1],
        np.ones((1, 10), dtype=bool),
    )
    assert fast.average_precision_by_chance(scores, marks, mask)[0] == pytest.approx(0.29289682539)
    assert fast.found_by_chance(scores, marks, mask)[0] == pytest.approx(0.1)


@pytest.mark.parametrize("score", [ours for ours, _ in (*PAIRS, *FLOORS)])
def test_what_cannot_be_asked_is_undefined(score: Callable) -> None:
    scores = np.array([[1.0, 2, 3], [1, 2, 3], [2, 2, 2], [1, np.nan, 3], [1, 0, 0]])
    marks = np.array(
        [[False] * 3, [True] * 3, [True, False, False], [True, False, False], [True, True, True]]
    )
    mask = np.array([[True] * 3] * 4 + [[True, False, False]])
    assert np.isnan(score(scores, marks, mask)).all()
