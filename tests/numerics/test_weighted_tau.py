"""Shieh's τ and its null: known values, a walk through the pairs, scipy, and all orders."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import weightedtau

from sightline.numerics.ties import constant
from sightline.numerics.weighted_tau import (
    critical_value,
    effective_pairs,
    null,
    weighted_tau,
)
from tests.reference import information as literal

THREE, FOUR = np.array([0.6, 0.3, 0.1]), np.array([0.4, 0.3, 0.2, 0.1])
level = st.integers(1, 12).map(lambda n: n / 8)
curves = st.integers(2, 7).flatmap(
    lambda k: st.tuples(*[st.lists(level, min_size=k, max_size=k)] * 2)
)


@pytest.mark.parametrize(
    ("curve", "weights", "expected"),
    [
        ((3, 2, 1), THREE, 1),
        ((2, 3, 1), THREE, -1 / 3),
        ((1, 2, 3), THREE, -1),
        ((2, 2, 1), THREE, 1 / 3),  # a tied pair stays in the denominator; scipy says 0.577
        ((3, 4, 2, 1), FOUR, 0.314285714),
        ((4, 3, 1, 2), FOUR, 0.885714286),
    ],
)
def test_a_pair_weighs_the_product_of_its_weights(
    curve: tuple, weights: np.ndarray, expected: float
) -> None:
    assert weighted_tau(np.array(curve, float), weights) == pytest.approx(expected, abs=1e-9)


@given(curves)
def test_tau_is_the_walk_through_the_pairs(both: tuple[list[float], list[float]]) -> None:
    curve, weights = both
    found = weighted_tau(np.array(curve), np.array(weights))
    assert found == pytest.approx(literal.tau(curve, weights), abs=1e-9)


@given(curves, st.sampled_from([0.01, 7.0]))
def test_scale_of_weights_and_shape_of_the_curve_do_not_matter(
    both: tuple[list[float], list[float]], scale: float
) -> None:
    curve, weights = np.array(both[0]), np.array(both[1])
    assert weighted_tau(np.exp(3 * curve), scale * weights) == pytest.approx(
        weighted_tau(curve, weights), abs=1e-9
    )


def test_without_ties_it_is_scipys_with_the_weights_as_its_weigher() -> None:
    rng = np.random.default_rng(0)
    for k in (3, 5, 8):
        weights, curve = -np.sort(-rng.dirichlet(np.ones(k))), rng.standard_normal(k)
        theirs = weightedtau(
            curve,
            -np.arange(k),
            rank=np.arange(k),
            weigher=lambda r, w=weights: w[r],
            additive=False,
        )
        assert weighted_tau(curve, weights) == pytest.approx(theirs.statistic, abs=1e-9)


def test_constant_weights_rank_nothing_whatever_the_curve() -> None:
    weights = np.full(8, 1 / 8) + np.arange(8) * 1e-17
    assert constant(weights, np.ones(8, bool))
    assert all(
        weighted_tau(np.array(order, float), weights) == 0
        for order in ([8, 7, 6, 5, 4, 3, 2, 1], range(8))
    )


def test_without_a_pair_that_weighs_there_is_no_number() -> None:
    assert np.isnan(weighted_tau(np.ones(1), np.ones(1)))
    assert np.isnan(weighted_tau(np.array([3.0, 2, 1]), np.array([1.0, 0, 0])))
    assert np.isnan(effective_pairs(np.ones(1)))


def test_three_ranks_have_six_orders() -> None:
    found = sorted(null(THREE, np.random.default_rng(0)))
    assert found == pytest.approx([-1, -7 / 9, -1 / 3, 1 / 3, 7 / 9, 1], abs=1e-9)
    assert np.var(found) == pytest.approx(0.572016461, abs=1e-9)


@given(st.lists(level, min_size=2, max_size=6))
def test_the_null_is_tau_of_all_orders(weights: list[float]) -> None:
    ordered = np.arange(len(weights), 0, -1) * 1.0  # only tells the ranks apart
    pairs = [[w * v for v in weights] for w in weights]
    whole = sum(pairs[i][j] for i in range(len(weights)) for j in range(i))
    signs = [
        sum(pairs[i][j] * np.sign(o[j] - o[i]) for i in range(len(weights)) for j in range(i))
        / whole
        for o in permutations(ordered)
    ]
    found = null(np.array(weights), np.random.default_rng(0))
    assert sorted(found) == pytest.approx(sorted(signs), abs=1e-9)


def test_equal_weights_are_kendalls() -> None:
    equal = np.ones(8)
    orders = null(equal, np.random.default_rng(0))
    assert np.var(orders) == pytest.approx(2 * 21 / (9 * 56), abs=1e-9)
    assert effective_pairs(equal) == pytest.approx(28, abs=1e-9)
    assert critical_value(equal, np.random.default_rng(0)) == pytest.approx(16 / 28, abs=1e-9)


def test_peaked_weights_leave_few_pairs_and_ask_for_more() -> None:
    halved, rng = 0.6 * 0.5 ** np.arange(8), np.random.default_rng(0)
    assert critical_value(halved, rng) == pytest.approx(0.850, abs=0.001)
    assert effective_pairs(halved) == pytest.approx(4.9, abs=0.05)
    assert np.isinf(critical_value(np.ones(3), rng))  # one order of six is not rare


def test_many_ranks_are_drawn() -> None:
    drawn = null(np.ones(20), np.random.default_rng(0))
    variance_of_all_orders = 2 * 45 / (9 * 20 * 19)
    assert np.std(drawn) == pytest.approx(variance_of_all_orders**0.5, abs=0.005)
    assert critical_value(np.ones(20), np.random.default_rng(0)) == pytest.approx(0.274, abs=0.02)
