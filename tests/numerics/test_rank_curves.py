"""What is said of curves over ranks: known values, the null, and what must not be bootstrapped."""

from collections.abc import Callable

import numpy as np
import pytest

from sightline.core.errors import SpecError
from sightline.numerics.mutual_information import plug_in, table
from sightline.numerics.rank_curves import (
    contrast,
    ends,
    exchanged,
    rarity,
    resampled,
    slope,
    span,
)


def exchange_p(scores: np.ndarray, summary: Callable, generator: np.random.Generator) -> float:
    """Give the p-value of a summary under the null that ranks mean nothing."""
    return rarity(float(summary(scores.mean(0))), summary(exchanged(scores, generator, 99)))


def test_summaries_of_known_curves() -> None:
    curves = np.array([[4.0, 1, 2, 3], [1, 1, 1, 1]])
    assert contrast(curves).tolist() == [2.0, 0.0]
    assert span(curves).tolist() == [3.0, 0.0]
    weights = np.exp([0.0, -1, -2, -3])
    assert slope(curves, weights) == pytest.approx(
        [np.polyfit([0, -1, -2, -3], curves[0], 1)[0], 0.0], abs=1e-12
    )
    assert slope(2 * np.log(weights) + 7, weights) == pytest.approx(2, abs=1e-12)
    assert np.isnan(slope(curves, np.full(4, 0.1))).all()


def test_resampled_curves_are_means_of_texts_that_are_drawn_again() -> None:
    rng = np.random.default_rng(0)
    scores = rng.standard_normal((400, 3)) + np.arange(3)
    drawn = resampled(scores, 4000, rng)
    assert drawn.mean(0) == pytest.approx(scores.mean(0), abs=0.005)
    assert drawn.std(0) == pytest.approx(scores.std(0) / 20, rel=0.05)
    assert np.cov(drawn.T) * 400 == pytest.approx(
        np.cov(scores.T), abs=0.1
    )  # ranks of a text stay together


def test_a_counted_information_is_not_bootstrapped() -> None:
    labels = np.zeros((300, 2), dtype=np.int64)
    with pytest.raises(
        SpecError, match=r"must not be bootstrapped: .*biased upwards.*a second time"
    ):
        resampled(labels, 10, np.random.default_rng(0))
    with pytest.raises(SpecError, match="must not be bootstrapped"):
        resampled(np.array([[30, 1], [1, 30]]), 10, np.random.default_rng(0))


def test_because_its_resamples_are_biased_once_more() -> None:
    rng = np.random.default_rng(1)
    clusters, classes = rng.integers(0, 50, 1768), rng.integers(0, 5, 1768)
    own = plug_in(table(clusters, classes))
    again = [
        plug_in(table(clusters[some], classes[some])) for some in rng.integers(0, 1768, (100, 1768))
    ]
    assert (
        np.quantile(again, 0.025) > own > 0.04
    )  # an interval that misses the estimate, and 0, which is the truth


def test_an_exchange_of_ranks_that_differ_in_every_text_is_as_rare_as_can_be() -> None:
    scores = np.tile([1.0, 0, 0, 0], (30, 1))
    assert exchange_p(scores, contrast, np.random.default_rng(0)) == 0.01
    assert exchange_p(-scores, contrast, np.random.default_rng(0)) == 1.0
    all_orders_tie = np.ones((30, 4))
    assert exchange_p(all_orders_tie, contrast, np.random.default_rng(0)) == 1.0
    assert np.isnan(
        exchange_p(scores, lambda curve: slope(curve, np.ones(4)), np.random.default_rng(0))
    )


def test_ranks_that_mean_nothing_are_seldom_significant_and_mostly_covered() -> None:
    rare, covered = 0, 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        scores = rng.standard_normal((150, 6)) * rng.exponential(
            size=(150, 1)
        ) + rng.standard_normal((150, 1))
        rare += exchange_p(scores, contrast, rng) <= 0.05
        low, high = ends(contrast(resampled(scores, 300, rng)))
        covered += low <= 0 <= high
    assert 0.01 * 200 <= rare <= 0.08 * 200
    assert 0.90 * 200 <= covered <= 0.98 * 200
