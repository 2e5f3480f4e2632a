"""How many texts would settle what is open: against the interval that so many texts would have."""

import math

from hypothesis import given
from hypothesis import strategies as st

from sightline.core.results import Estimate
from sightline.stats.sample_size import MOST, texts_needed


@given(
    st.integers(10, 500),
    st.floats(-0.5, 0.9),
    st.floats(0.01, 0.4),
    st.floats(0.01, 0.4),
    st.floats(0.05, 0.3),
)
def test_so_many_texts_clear_the_threshold_and_fewer_do_not(
    n: int, value: float, below: float, above: float, threshold: float
) -> None:
    needed = texts_needed(Estimate(value, value - below, value + above, n, ""), threshold)
    half, distance = (below if value > threshold else above), abs(value - threshold)

    def clears(texts: int) -> bool:
        return half * math.sqrt(n / texts) <= distance * (1 + 1e-9)

    if needed is None:
        assert half > distance * 9.99
    else:
        assert clears(needed)
        assert needed <= max(n, MOST * n + 1)
        assert needed == n or not clears(needed - 2)


def test_by_hand() -> None:
    assert (
        texts_needed(Estimate(0.5, 0.25, 0.75, 100, ""), 0.375) == 400
    )  # half as wide: four times as many
    assert texts_needed(Estimate(0.25, 0.0, 0.5, 100, ""), 0.375) == 400
    assert texts_needed(Estimate(0.3, 0.25, 0.35, 12, ""), 0.2, fewest=50) == 50


def test_where_texts_tell_nothing_no_number_is_given() -> None:
    assert texts_needed(Estimate(0.2, 0.1, 0.3, 100, ""), 0.2) is None
    assert texts_needed(Estimate(0.2, math.nan, math.nan, 1, ""), 0.1) is None
    assert texts_needed(Estimate(math.nan, math.nan, math.nan, 0, ""), 0.1) is None
    assert texts_needed(Estimate(0.21, 0.1, 0.3, 100, ""), 0.2) is None  # 121 times as many


def test_no_number_of_texts_moves_a_score_off_a_threshold_that_it_lies_on() -> None:
    assert texts_needed(Estimate(0.0, -0.5, 0.0, 100, ""), 0.0) is None
