"""From seeds to one number: Student's interval, and what it says where there is no spread to speak
of.
"""

import math
from collections.abc import Sequence

import numpy as np
import pytest
from scipy.stats import kendalltau, ttest_1samp

from sightline.core.results import Estimate
from sightline.stats.across_seeds import across_seeds, goes_together

UNDEFINED = Estimate(math.nan, math.nan, math.nan, 0, "undefined for every text")


def seeds(values: Sequence[float], n: int = 100) -> list[Estimate]:
    return [Estimate(value, value - 0.1, value + 0.1, n, "bootstrap") for value in values]


@pytest.mark.parametrize("values", [(0.2, 0.3), (0.5, 0.1, 0.9), (0.81, 0.82, 0.80, 0.85, 0.79)])
def test_the_interval_is_that_of_the_t_test(values: tuple[float, ...]) -> None:
    mean = across_seeds(seeds(values))
    expected = ttest_1samp(values, 0).confidence_interval(0.95)
    assert (mean.low, mean.high) == pytest.approx((expected.low, expected.high), rel=1e-12)
    assert mean.value == pytest.approx(sum(values) / len(values))
    assert mean.method == f"Student’s t over {len(values)} seeds"


@pytest.mark.parametrize("k", [2, 3, 5])
def test_the_interval_holds_the_truth_as_often_as_it_says(k: int) -> None:
    drawn = np.random.default_rng(k).normal(0.4, 0.05, (2000, k))
    means = [across_seeds(seeds(row.tolist())) for row in drawn]
    held = np.mean([mean.low <= 0.4 <= mean.high for mean in means])
    assert held == pytest.approx(0.95, abs=0.016)  # more than three standard errors


def test_one_seed_keeps_its_own_estimate() -> None:
    (only,) = seeds([0.3])
    assert across_seeds([only]) == only


def test_n_is_the_smallest_number_of_texts() -> None:
    assert across_seeds([*seeds([0.1], 80), *seeds([0.2], 30), *seeds([0.3], 90)]).n == 30


def test_undefined_seeds_are_left_out_and_said() -> None:
    mean, known = (
        across_seeds([*seeds([0.2]), UNDEFINED, *seeds([0.4])]),
        across_seeds(seeds([0.2, 0.4])),
    )
    assert (mean.value, mean.low, mean.high) == (known.value, known.low, known.high)
    assert mean.n == 100  # not the 0 texts of the one that is undefined
    assert mean.method == "Student’s t over 2 seeds; left out where undefined: 1 of 3 seeds"


def test_one_defined_seed_of_several_keeps_its_interval_and_says_so() -> None:
    mean = across_seeds([UNDEFINED, *seeds([0.3])])
    assert (mean.value, mean.low, mean.high, mean.n) == (0.3, 0.3 - 0.1, 0.3 + 0.1, 100)
    assert mean.method == "bootstrap; left out where undefined: 1 of 2 seeds"


@pytest.mark.parametrize("none", [[], [UNDEFINED], [UNDEFINED, UNDEFINED]])
def test_without_a_defined_seed_there_is_no_number(none: list[Estimate]) -> None:
    mean = across_seeds(none)
    assert all(map(math.isnan, (mean.value, mean.low, mean.high)))
    assert mean.n == 0
    assert "seed" in mean.method


def test_seeds_that_agree_exactly_claim_no_certainty() -> None:
    mean = across_seeds(seeds([0.1, 0.1, 0.1]))
    assert mean.value == 0.1  # and not a sum of three, divided again
    assert math.isnan(mean.low)
    assert math.isnan(mean.high)
    assert mean.method == "3 seeds, all equal; no interval is known"


def test_the_order_of_seeds_does_not_matter() -> None:
    forwards, backwards = (
        across_seeds(seeds([0.5, 0.25, 1.0])),
        across_seeds(seeds([1.0, 0.25, 0.5])),
    )
    assert forwards == backwards


def test_what_goes_together_over_models_is_scipys_tau() -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        first, second = rng.integers(0, 4, 9) / 4, rng.integers(0, 5, 9).astype(float)
        found = goes_together(first.tolist(), second.tolist())
        assert found.value == pytest.approx(kendalltau(first, second).statistic, abs=1e-12)
        assert (found.n, math.isnan(found.low)) == (9, True)
    # A last rank without weight: the first weighs infinitely more, and that is more than any
    # number.
    assert goes_together([0.1, 0.4, 0.9], [2.0, 3.0, math.inf]).value == 1
    assert math.isnan(goes_together([0.1, 0.4], [2.0, 2.0]).value)


def test_seeds_that_differ_by_rounding_claim_no_certainty() -> None:
    mean = across_seeds(seeds([0.3, 0.1 + 0.2, 0.3]))
    assert math.isnan(mean.low)
    assert math.isnan(mean.high)
