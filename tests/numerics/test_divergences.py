"""Distances between distributions: literal twins, analytic values, identities."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import special

from sightline.numerics.divergences import (
    entropy,
    jensen_shannon,
    probabilities,
    softmax,
    total_variation,
)
from tests.reference import formulas


def distributions(size: int) -> st.SearchStrategy[np.ndarray]:
    weights = arrays(float, size, elements=st.floats(0, 1).map(lambda x: round(x, 3)))
    return weights.filter(lambda w: w.sum() > 0).map(lambda w: w / w.sum())


@given(distributions(4), distributions(4))
def test_total_variation_is_the_largest_difference_of_any_set(p: np.ndarray, q: np.ndarray) -> None:
    assert total_variation(p, q) == pytest.approx(formulas.total_variation(p, q), abs=1e-12)


@given(distributions(5), distributions(5))
def test_jensen_shannon_is_symmetric_bounded_and_an_entropy_gap(
    p: np.ndarray, q: np.ndarray
) -> None:
    value = float(jensen_shannon(p, q))
    assert 0 <= value <= np.log(2) + 1e-12
    assert value == pytest.approx(float(jensen_shannon(q, p)), abs=1e-12)
    gap = formulas.entropy((p + q) / 2) - (formulas.entropy(p) + formulas.entropy(q)) / 2
    assert value == pytest.approx(gap, abs=1e-9)


def test_disjoint_distributions_are_log_two_apart() -> None:
    assert jensen_shannon(np.array([1.0, 0.0]), np.array([0.0, 1.0])) == pytest.approx(np.log(2))


@given(distributions(6))
def test_entropy_is_the_literal_one(p: np.ndarray) -> None:
    assert entropy(p) == pytest.approx(formulas.entropy(p), abs=1e-12)


@pytest.mark.parametrize("logits", [[0.3], [-50.0], [1.0, 2.0], [3.0, -1.0, 0.0]])
def test_probabilities_follow_the_link(logits: list[float]) -> None:
    assert probabilities(np.array(logits)) == pytest.approx(
        formulas.probabilities(np.array(logits))
    )


def test_one_logit_is_two_logits_with_the_first_zero() -> None:
    one = probabilities(np.array([[0.7], [-2.0]]))
    assert one == pytest.approx(probabilities(np.array([[0.0, 0.7], [0.0, -2.0]])))


def test_softmax_is_that_of_scipy_to_the_bit():
    drawn = np.random.default_rng(0)
    for shape in ((2,), (5, 3), (4, 1, 7)):
        logits = drawn.normal(0, 30, shape)
        assert np.array_equal(softmax(logits), special.softmax(logits, axis=-1))
