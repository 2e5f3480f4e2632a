"""A number along a swept setting: scipy's τ text by text, its mean over texts and seeds, and what
has none.
"""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau

from sightline.stats.parameter_sweep import SweepRun, mean_sweep_tau, points

SETTINGS = (-30.0, -10.0, -3.0, -1.0, 0.0, 0.5, 0.9)


def runs(
    values: np.ndarray, seed: int = 0, settings: tuple[float, ...] = SETTINGS
) -> list[SweepRun]:
    support = np.arange(len(values), dtype=float)
    return [
        SweepRun(setting, seed, values[:, at], support + at) for at, setting in enumerate(settings)
    ]


@given(seed=st.integers(0, 99), levels=st.integers(2, 9))
def test_each_text_has_scipys_tau_and_the_mean_is_over_texts(seed: int, levels: int) -> None:
    values = np.random.default_rng(seed).integers(0, levels, (12, 7)) / 10
    taus = [kendalltau(SETTINGS, row).statistic for row in values]
    found = mean_sweep_tau(runs(values)[::-1])
    assert found.value == pytest.approx(np.nanmean(taus))
    assert found.n == np.isfinite(taus).sum()


def test_a_number_that_falls_with_the_setting_is_below_zero_whatever_the_scale() -> None:
    falling = -np.tile(np.array(SETTINGS), (12, 1)) * np.geomspace(0.001, 1000, 12)[:, None]
    assert mean_sweep_tau(runs(falling)).value == -1
    assert mean_sweep_tau(runs(-falling)).value == 1


def test_over_seeds_the_interval_is_over_seeds_and_one_that_lacks_a_setting_has_no_tau() -> None:
    draw = np.random.default_rng(0)
    values = [draw.random((20, 7)) - slope * np.arange(7) for slope in (0.1, 0.2, 0.3)]
    three = [run for seed, one in enumerate(values) for run in runs(one, seed)]
    whole = mean_sweep_tau(three)
    each = [mean_sweep_tau(runs(one, seed)).value for seed, one in enumerate(values)]
    assert whole.value == pytest.approx(np.mean(each))
    assert "seeds" in whole.method
    assert mean_sweep_tau(three[:-1]).value == pytest.approx(np.mean(each[:2]))


def test_a_point_has_the_mean_and_the_support_and_a_text_without_a_number_no_tau() -> None:
    values = np.random.default_rng(1).random((20, 7))
    values[3, 2] = np.nan
    found = points(runs(values))
    assert [one.setting for one in found] == [*SETTINGS]
    assert (found[2].value.n, found[1].value.n) == (19, 20)
    assert found[2].value.value == pytest.approx(np.nanmean(values[:, 2]))
    assert found[2].support.value == pytest.approx(np.arange(20).mean() + 2)
    assert mean_sweep_tau(runs(values)).n == 19


def test_over_seeds_fewer_words_than_none_have_no_weight() -> None:
    few, many = (
        SweepRun(0.5, seed, np.full(9, 0.1), np.full(9, words))
        for seed, words in enumerate((1.0, 6.0))
    )
    (point,) = points([few, many])
    assert (point.support.value, point.support.low) == (3.5, 0.0)
    assert point.support.high > 6


def test_texts_of_one_cluster_count_as_one() -> None:
    values = np.random.default_rng(1).random((20, 7))
    alone, pairs = (
        [replace(run, clusters=clusters) for run in runs(values)]
        for clusters in (np.arange(20) + 5, np.arange(20) // 2)
    )
    assert (points(alone), mean_sweep_tau(alone)) == (
        points(runs(values)),
        mean_sweep_tau(runs(values)),
    )
    found = [
        mean_sweep_tau(pairs),
        *(one for point in points(pairs) for one in (point.value, point.support)),
    ]
    assert all("10 clusters" in one.method for one in found)
