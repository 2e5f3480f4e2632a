"""What is said of curves over ranks: known values, the null, and what must not be bootstrapped."""

from collections.abc import Callable

import numpy as np
import pytest

from sightline.core.errors import SpecError
from sightline.numerics.mutual_information import plug_in, table
from sightline.numerics.rank_curves import (
    contrast,
    ends,
    error_of_contrast,
    exchanged,
    rarity,
    resampled,
    slope,
    span,
)
from sightline.numerics.text_clusters import numbered


def exchange_p(scores: np.ndarray, summary: Callable, generator: np.random.Generator) -> float:
    """Give the p-value of a summary under the null that ranks mean nothing."""
    drawn = exchanged(scores, generator, np.arange(len(scores)), 99)
    return rarity(float(summary(scores.mean(0))), summary(drawn))


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
    drawn = resampled(scores, 4000, rng, np.arange(400))
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
        resampled(labels, 10, np.random.default_rng(0), np.arange(300))
    with pytest.raises(SpecError, match="must not be bootstrapped"):
        resampled(np.array([[30, 1], [1, 30]]), 10, np.random.default_rng(0), np.arange(2))


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
        low, high = ends(contrast(resampled(scores, 300, rng, np.arange(150))))
        covered += low <= 0 <= high
    assert 0.01 * 200 <= rare <= 0.08 * 200
    assert 0.90 * 200 <= covered <= 0.98 * 200


def in_fours(seed: int, texts: int = 60) -> tuple[np.ndarray, np.ndarray]:
    """Four copies of each text, in any order, and their clusters."""
    rng = np.random.default_rng(seed)
    clusters = rng.permutation(np.repeat(np.arange(texts), 4))
    return rng.standard_normal((texts, 5))[clusters], numbered(clusters)


def test_copies_are_resampled_and_exchanged_together() -> None:
    rare, covered = 0, 0
    for seed in range(200):
        (scores, clusters), rng = in_fours(seed), np.random.default_rng(seed)
        low, high = ends(contrast(resampled(scores, 300, rng, clusters)))
        covered += low <= 0 <= high
        drawn = contrast(exchanged(scores, rng, clusters, 99))
        rare += rarity(float(contrast(scores.mean(0))), drawn) <= 0.05
    assert 0.01 * 200 <= rare <= 0.09 * 200
    assert 0.89 * 200 <= covered <= 0.98 * 200


def test_the_error_of_a_contrast_is_that_of_its_clusters() -> None:
    scores, clusters = in_fours(0)
    once = contrast(scores[np.unique(clusters, return_index=True)[1]])
    assert error_of_contrast(scores, clusters) == pytest.approx(once.std(ddof=1) / np.sqrt(60))
    alone = error_of_contrast(scores, np.arange(240))
    assert alone == float(contrast(scores).std(ddof=1) / np.sqrt(240))
