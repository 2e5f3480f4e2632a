"""A fold hides words, never the most highlighted ones, and says how many it hides."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sightline.report.html.long_text_excerpt import CONTEXT_WORDS, MOST, NEAR, folded, heaviest

LONG = [5] * 400


def test_a_short_text_is_shown_whole_and_a_long_one_around_its_heaviest_words() -> None:
    assert folded([3], [5] * 120) == [(0, 120)]
    assert folded([], []) == [(0, 0)]
    assert folded([200], LONG) == [(0, 9), (192, 209)]
    assert folded([399], LONG) == [(0, 9), (391, 400)]
    assert folded([], [5] * 121) == [(0, 9)]


def test_stretches_that_nearly_touch_are_one_and_so_is_the_last_with_the_end() -> None:
    assert folded([9 + CONTEXT_WORDS + NEAR], LONG) == [
        (0, 9 + CONTEXT_WORDS + NEAR + CONTEXT_WORDS + 1)
    ]
    assert folded([10 + CONTEXT_WORDS + NEAR], LONG)[1:] == [
        (10 + NEAR, 11 + 2 * CONTEXT_WORDS + NEAR)
    ]
    assert folded([399 - CONTEXT_WORDS - NEAR], LONG)[-1][1] == 400


def test_a_neighbour_that_is_too_long_stays_outside() -> None:
    sizes = [5] * 100 + [10_000] + [5] * 100
    assert folded([100], sizes) == [(0, 9), (92, 109)]
    assert folded([101], sizes) == [(0, 9), (101, 110)]


@given(st.lists(st.floats(-1e6, 1e6), min_size=121, max_size=300), st.booleans())
def test_no_fold_hides_a_heaviest_word(values: list[float], signed: bool) -> None:
    best = heaviest(np.array(values), signed, MOST)
    size = [abs(value) if signed else value for value in values]
    chosen = [size[i] for i in best]  # sizes equal but for rounding stand in the order of the text
    in_order = np.allclose(chosen, sorted(chosen, reverse=True), rtol=1e-6, atol=0)
    assert in_order or len(set(size)) < len(size)
    ranges = folded(best, [5] * len(values))
    shown = [word for start, stop in ranges for word in range(start, stop)]
    assert {0, *best} <= set(shown)
    assert sorted(set(shown)) == shown
    assert all(b[0] - a[1] > NEAR for a, b in pairwise(ranges))
    assert ranges[-1][1] <= len(values)


def test_the_heaviest_are_the_largest_by_size_where_there_are_directions() -> None:
    values = np.array([0.0, -3.0, 1.0, np.nan, 2.0])
    assert heaviest(values, False, 2) == [4, 2]
    assert heaviest(values, True, 2) == [1, 4]
    assert heaviest(values, False, 9) == [4, 2]
    assert heaviest(np.array([1.0, np.inf, 2.0]), False, 2) == [1, 2]
    assert heaviest(np.zeros(3), True, 3) == []
