"""Intervals that hold the truth as often as they say, also where all texts are alike."""

import numpy as np
import pytest
from scipy.stats import binomtest

from sightline.maths.scores import macro_f1
from sightline.statistics import bootstrap


def test_the_interval_of_a_mean_holds_the_truth_nineteen_times_in_twenty() -> None:
    generator = np.random.default_rng(0)
    held = 0
    for trial in range(400):
        estimate = bootstrap.mean(generator.exponential(0.2, size=80), trial, "coverage")
        held += estimate.low <= 0.2 <= estimate.high
    # Skewed values and 80 texts cost a percentile bootstrap a little; 400 trials have a standard error of .011.
    assert 0.90 <= held / 400 <= 0.975


def test_the_interval_is_near_the_textbook_one() -> None:
    values = np.random.default_rng(1).normal(0.3, 0.1, size=400)
    estimate = bootstrap.mean(values, 0, "normal")
    half = 1.96 * values.std() / 20
    assert (estimate.low, estimate.high) == pytest.approx((values.mean() - half, values.mean() + half), abs=0.0015)
    assert (estimate.value, estimate.n) == (pytest.approx(values.mean()), 400)


def test_undefined_texts_are_left_out_and_n_says_so() -> None:
    estimate = bootstrap.mean(np.array([0.1, np.nan, 0.3, np.nan]), 0, "nan")
    assert (estimate.value, estimate.n) == (pytest.approx(0.2), 2)
    nothing = bootstrap.mean(np.full(3, np.nan), 0, "nan")
    assert nothing.n == 0
    assert np.isnan([nothing.value, nothing.low, nothing.high]).all()


def test_texts_that_are_all_alike_do_not_make_a_certainty() -> None:
    estimate = bootstrap.mean(np.zeros(300), 0, "alike")
    assert (estimate.low, estimate.high) == pytest.approx((-0.01, 0.01))
    perfect = bootstrap.mean(np.ones(300), 0, "alike", (0.0, 1.0))
    assert (perfect.low, perfect.high) == pytest.approx((0.99, 1.0))
    assert "rule of three" in perfect.method
    assert "no interval" in bootstrap.mean(np.ones(5), 0, "alike", None).method


@pytest.mark.parametrize(("hits", "n"), [(0, 30), (30, 30), (7, 50)])
def test_proportions_have_wilsons_interval(hits: int, n: int) -> None:
    estimate = bootstrap.proportion((np.arange(n) < hits).astype(float))
    expected = binomtest(hits, n).proportion_ci(method="wilson")
    assert (estimate.low, estimate.high) == pytest.approx((expected.low, expected.high))


def test_a_statistic_of_counts_is_that_of_the_resampled_texts() -> None:
    generator = np.random.default_rng(0)
    counts = np.zeros((60, 2, 2))
    counts[np.arange(60), generator.integers(0, 2, 60), generator.integers(0, 2, 60)] = 1
    ours = bootstrap.statistic(counts, macro_f1, 0, "f1")
    drawn = [macro_f1(counts[np.random.default_rng(s).integers(60, size=60)].sum(0)[None])[0] for s in range(2000)]
    assert ours.value == pytest.approx(macro_f1(counts.sum(0)[None])[0])
    assert (ours.low, ours.high) == pytest.approx(tuple(np.quantile(drawn, [0.025, 0.975])), abs=0.02)


def test_the_seed_and_the_stage_decide_the_resamples() -> None:
    values = np.random.default_rng(0).random(50)
    first, same = bootstrap.mean(values, 0, "a"), bootstrap.mean(values, 0, "a")
    assert first == same
    assert first.low != bootstrap.mean(values, 1, "a").low
    assert first.low != bootstrap.mean(values, 0, "b").low


def test_many_texts_are_resampled_in_chunks() -> None:
    values = np.random.default_rng(0).random(5000)
    half = 1.96 * values.std() / np.sqrt(5000)
    assert bootstrap.mean(values, 0, "many").high == pytest.approx(values.mean() + half, abs=5e-4)
