"""Shares of the importance for states, and their spread, against sums written out."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline.numerics.state_concentration import evenness, over_states, shares
from tests.reference import states as literal

positive = st.floats(0.01, 100)


@given(
    st.integers(2, 6).flatmap(lambda size: st.lists(positive, min_size=size, max_size=size)),
    st.integers(0, 3),
)
def test_the_spread_is_that_of_the_shares_whatever_the_padding(
    values: list[float], padding: int
) -> None:
    size = len(values) + padding
    importance, mask = np.full((1, size, size), 7.0), np.zeros((1, size), bool)
    mask[0, : len(values)] = True
    importance[0, :, : len(values)] = values
    parts = shares(importance, mask)
    assert parts[0, 0, : len(values)] == pytest.approx(np.array(values) / sum(values))
    assert parts[0, 0, len(values) :].sum() == 0
    assert np.isnan(parts[0, len(values) :]).all()  # the states of padding
    assert evenness(parts, mask)[0, 0] == pytest.approx(literal.evenness(values))


def test_one_word_alone_has_no_spread_and_a_state_that_nothing_moves_no_shares() -> None:
    mask = np.array([[True, False], [True, True]])
    parts = shares(np.array([[[1.0, 0.0], [0.0, 0.0]], [[0.0, 0.0], [1.0, 3.0]]]), mask)
    spread = evenness(parts, mask)
    assert np.isnan(spread[0]).all()
    assert np.isnan(spread[1, 0])
    assert spread[1, 1] == pytest.approx(literal.evenness([1, 3]))


def test_what_is_averaged_is_what_is_known() -> None:
    values, mask = (
        np.array([[1.0, 3.0, np.nan, 9.0], [np.nan] * 4]),
        np.array([[True, True, True, False]] * 2),
    )
    assert over_states(values, mask) == pytest.approx([2.0, np.nan], nan_ok=True)
    assert over_states(values, mask, np.array([[0.1, 0.3, 0.6, 0.0]] * 2))[0] == pytest.approx(2.5)
    assert np.isnan(
        over_states(values, mask, np.array([[0.0, 0.0, 1.0, 0.0]] * 2))[0]
    )  # all weight where none is
