"""Spans of chosen words beside marked ones: ERASER's count span by span, every way to break ties,
and chance.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sightline.numerics.span_f1 import iou_f1, spans_by_chance, spans_on_top
from tests.numerics.test_rationale_metrics import TEXT, asked, padded
from tests.reference import marked as slow

WORDS = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=12)


def keys_of(mask: np.ndarray, draws: int) -> np.ndarray:
    return np.random.default_rng(0).random((draws, *mask.shape))


@settings(max_examples=80)
@given(texts=st.lists(WORDS, min_size=1, max_size=4))
def test_spans_are_met_as_erasers_code_counts_them(texts: list) -> None:
    width = max(map(len, texts))
    both = np.zeros((2, len(texts), width), dtype=bool)
    for row, text in enumerate(texts):
        both[:, row, : len(text)] = np.transpose(text)
    expected = [slow.iou_f1(*np.transpose(text).tolist()) for text in texts]
    assert iou_f1(*both) == pytest.approx(expected)


def test_half_of_the_union_is_enough_and_less_is_not() -> None:
    marked = np.array([[0, 1, 1, 1, 1, 0, 0, 1]] * 4, dtype=bool)
    chosen = np.array(
        [
            [0, 1, 1, 0, 0, 0, 0, 0],
            [0, 1, 0, 0, 0, 0, 0, 0],
            [1, 1, 1, 1, 1, 1, 1, 1],
            [0, 1, 1, 0, 0, 0, 0, 1],
        ],
        dtype=bool,
    )
    assert iou_f1(chosen, marked) == pytest.approx([2 / 3, 0, 2 / 3, 1])


@settings(max_examples=15)
@given(texts=st.lists(TEXT.filter(asked), min_size=1, max_size=3))
def test_without_ties_one_order_says_it_and_with_them_it_is_the_mean_over_their_orders(
    texts: list,
) -> None:
    scores, marks, mask = padded(texts)
    expected = [slow.iou_on_top(*zip(*text, strict=True)) for text in texts]
    assert spans_on_top(scores, marks, mask, keys_of(mask, 300)) == pytest.approx(
        expected, abs=0.12
    )
    apart = [
        [(place + 9 * score, mark) for place, (score, mark) in enumerate(text)] for text in texts
    ]
    scores, marks, mask = padded(apart)
    expected = [slow.iou_on_top(*zip(*text, strict=True)) for text in apart]
    assert spans_on_top(scores, marks, mask, keys_of(mask, 3)) == pytest.approx(expected)


@settings(max_examples=10)
@given(text=TEXT.filter(asked))
def test_chance_is_the_mean_over_every_permutation(text: list) -> None:
    _, marks, mask = padded([text])
    exact = slow.by_chance(slow.iou_on_top, range(len(text)), [mark for _, mark in text])
    assert spans_by_chance(marks, mask, keys_of(mask, 600))[0] == pytest.approx(exact, abs=0.1)


def test_padding_changes_nothing_and_what_cannot_be_asked_is_undefined() -> None:
    scores, marks, mask = padded([[(3, True), (2, True), (1, False)], [(0, False)] * 9])
    keys = keys_of(mask, 50)
    short = (scores[:1, :3], marks[:1, :3], mask[:1, :3])
    assert (
        spans_on_top(scores, marks, mask, keys)[0] == spans_on_top(*short, keys[:, :1, :3])[0] == 1
    )
    assert spans_by_chance(marks, mask, keys)[0] == spans_by_chance(*short[1:], keys[:, :1, :3])[0]
    assert np.isnan(spans_on_top(scores, marks, mask, keys)[1])
    alike = np.ones((1, 3))
    assert np.isnan(spans_on_top(alike, *short[1:], keys[:, :1, :3]))
