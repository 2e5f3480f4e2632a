"""The smallest set of weights without which a decision flips, against trying every set."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline.numerics.flip_sets import removals_to_flip, smallest
from tests.reference import flips as literal


@given(st.integers(0, 10**9))
def test_the_smallest_set_and_that_of_an_order_are_those_of_trying_them_all(seed: int) -> None:
    literal.compare(seed, most=7)


@pytest.mark.parametrize("seed", range(6))
def test_so_they_are_with_twelve_words(seed: int) -> None:
    z, attention = (
        np.random.default_rng(seed).normal(size=(12, 3)),
        np.random.default_rng(seed).dirichlet(np.ones(12)),
    )
    found = smallest(z[None], attention[None], np.ones((1, 12), dtype=bool))
    assert np.array_equal(found.size, [literal.smallest(z, attention)], equal_nan=True)


def test_a_decision_that_every_word_makes_alone_never_flips() -> None:
    z, weights, mask = (
        np.array([[[1.0], [2.0], [3.0]]]),
        np.full((1, 3), 1 / 3),
        np.ones((1, 3), dtype=bool),
    )
    found = smallest(z, weights, mask)
    assert found.never.tolist() == [True]
    assert not found.gone.any()
    assert np.isnan(removals_to_flip(z, weights, mask, np.array([[0, 1, 2]])))


def test_a_tie_goes_where_the_models_send_it() -> None:
    mask, weights = np.ones((1, 2), dtype=bool), np.array([[0.5, 0.5]])
    for leads, ties, flips in (
        ([[1.0], [0.0]], "class 1 to 0", 1.0),
        ([[-1.0], [0.0]], "class 0 from 1", np.nan),
    ):
        found = smallest(np.array([leads]), weights, mask).size
        assert np.array_equal(found, [flips], equal_nan=True), ties


def test_words_without_weight_are_passed_over() -> None:
    z, weights = np.array([[[2.0], [-9.0], [-1.0]]]), np.array([[0.7, 0.0, 0.3]])
    mask = np.ones((1, 3), dtype=bool)
    found = smallest(z, weights, mask)
    assert found.gone.tolist() == [[True, False, False]]
    assert removals_to_flip(z, weights, mask, np.array([[1, 0, 2]])).tolist() == [1.0]
    assert np.isnan(
        removals_to_flip(z, weights, mask, np.array([[1, 2, 0]]))
    )  # the last word with weight stays


def test_an_answer_that_is_not_allowed_is_no_rival() -> None:
    z = np.array([[[2.0, -np.inf, 0.0], [-1.0, -np.inf, 1.0]]])
    found = smallest(z, np.array([[0.8, 0.2]]), np.ones((1, 2), dtype=bool))
    assert found.size.tolist() == [1.0]
