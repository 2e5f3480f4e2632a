"""The difference of two scores over the same texts, with an interval and a p-value.

Both scores use the same resampled texts, because a text that is hard for both models says nothing
about their difference.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int
from scipy.special import stdtr

from sightline.config.interval_settings import INTERVALS
from sightline.core.results import Estimate
from sightline.stats import resamples
from sightline.stats.dyads import PairSums, TextPairs, length, moves, of_pairs
from sightline.stats.intervals import (
    LEVEL,
    UNDEFINED,
    UNIT,
    UNSURE,
    Bounds,
    bounds_if_kept,
    clip_interval,
    effective,
    has_no_spread,
    interval_of_equal_values,
    known_rows,
    resampled_units,
    student,
    two_sided,
    without_interval,
)
from sightline.stats.ratios import LOST, LinearizedRatio, RatioSums, linear, ratio, scaled
from sightline.stats.strata import Strata

Array = np.ndarray
_PAIRED = ("top", "bottom", "first", "second")
_APART: float = INTERVALS["apart"]
"""Largest possible difference of two scores that keep the bounds of their scale."""
_FAMILY: int = INTERVALS["family"]
"""Number of comparisons up to which the usual number of resamples is enough: an adjusted p-value
must be able to get below .05 / 20."""


@dataclass(frozen=True)
class ScoreDifference:
    """Two scores, each over the texts where both are defined, and the second minus the first.

    ``p`` is the smallest α at which the 1 − α interval of the difference excludes 0; None where
    there is no interval. Where no resample reaches 0, it is the least that so many resamples can
    give, and ``at_most`` says so.
    """

    first: Estimate
    second: Estimate
    difference: Estimate
    p: float | None = None
    at_most: bool = False


def score_difference(
    first: RatioSums,
    second: RatioSums,
    seed: int,
    clusters: Int[Array, " N"] | None = None,
    comparisons: int = 1,
) -> ScoreDifference:
    """Estimate ``r₂ − r₁`` of two ratios of sums over the same texts, ``r = Σ U / Σ V``.

    With e = U − rV for each cluster, the difference moves by ``z = e₂ / Σ V₂ − e₁ / Σ V₁`` and has
    the error ``s = √(G/(G−1) Σ z²)``. Each resample draws the clusters for both ratios at once and
    gives both d* and s*. The rest is as for one ratio (`ratio`): the studentised interval, or
    Student's where it is wider at an end, with the group count of the ratio that has fewer.

    Parameters
    ----------
    first, second
        The same texts in the same order; a text with any NaN is left out of both.
    seed, clusters
        As for `ratio`.
    comparisons
        How many p-values will be adjusted together. Many comparisons need more resamples, or no
        p-value could become small enough.
    """
    rows = known_rows(first.top, first.bottom, second.top, second.bottom)
    if len(rows) == 0:
        nothing = without_interval(math.nan, 0, UNDEFINED)
        return ScoreDifference(nothing, nothing, nothing)
    members = None if clusters is None else clusters[rows]
    both = first.at(rows), second.at(rows)
    alone, also = (ratio(one.top, one.bottom, seed, members, classes=one.classes) for one in both)
    strata = (Strata.of(np.arange(len(rows)), one.classes, members) for one in both)
    lines = [
        linear(one.top, one.bottom, each, LEVEL, UNIT)
        for one, each in zip(both, strata, strict=True)
    ]
    if lines[0] is None or lines[1] is None:
        return ScoreDifference(alone, also, without_interval(math.nan, len(rows), UNSURE))
    return ScoreDifference(alone, also, *_between(lines[0], lines[1], len(rows), seed, comparisons))


def _between(
    first: LinearizedRatio, second: LinearizedRatio, n: int, seed: int, comparisons: int
) -> tuple[Estimate, float | None, bool]:
    value, alone = second.value - first.value, min(first.alone, second.alone)
    moved = second.residuals / second.under.sum() - first.residuals / first.under.sum()
    bounds = _bounds(first.bounds, second.bounds)
    if has_no_spread(moved, max(one.scale / one.under.sum() for one in (first, second))):
        return *_of_alike(value, n, alone, bounds), False
    error = math.sqrt(scaled(len(moved)) * (moved @ moved))
    drawn = _studentised(first, second, error, seed, comparisons)
    tail, usual = (1 - LEVEL) / 2, student(LEVEL, alone)
    inner, outer = np.quantile(drawn, [tail, 1 - tail]) if len(drawn) else (0.0, 0.0)
    ends = clip_interval(
        value, value - error * max(outer, usual), value + error * max(-inner, usual), bounds
    )
    method = f"studentised bootstrap of the difference over {resampled_units(n, len(moved))}"
    p = _p_value(value / error, drawn, alone)
    return Estimate(value, *ends, n, method), p, p <= _least_p(drawn)


def _studentised(
    first: LinearizedRatio, second: LinearizedRatio, error: float, seed: int, comparisons: int
) -> Float[Array, " R"]:
    """Give ``(d* − d) / s*`` of every resample that keeps enough of the spread.

    z of a resample is a weighted sum of (e₁, V₁, e₂, V₂), so the sums of their products give the
    sum of z².
    """
    columns = np.stack([first.residuals, first.under, second.residuals, second.under], axis=1)
    products = (columns[:, :, None] * columns[:, None, :]).reshape(len(columns), 16)
    level = 1 - (1 - LEVEL) / max(1.0, comparisons / _FAMILY)
    drawn = resamples.sums(np.concatenate([columns, products], axis=1), seed, level)
    drawn = drawn[(drawn[:, 1] > 0) & (drawn[:, 3] > 0)]
    sums, totals = drawn[:, [0, 2]], drawn[:, [1, 3]]
    shifts = sums / totals
    weighed = (
        np.stack([np.ones_like(shifts), -shifts], axis=2)
        / totals[:, :, None]
        * np.array([[-1.0], [1.0]])
    )
    by = weighed.reshape(-1, 4)
    squared = np.einsum("ri,rij,rj->r", by, drawn[:, 4:].reshape(-1, 4, 4), by)
    errors = np.sqrt(scaled(len(columns)) * np.maximum(squared, 0))
    whole = errors > LOST * error
    return np.asarray((shifts[whole, 1] - shifts[whole, 0]) / errors[whole])


def between_pairs(first: PairSums, second: PairSums, clusters: Int[Array, " N"]) -> ScoreDifference:
    """Estimate ``r₂ − r₁`` of two ratios over pairs of the same texts; the pairs may differ.

    Works as for one ratio (`dyads`), with the difference of the moves of the two ratios: by each
    text, and by each two texts that form a pair.
    """
    alone, also = (of_pairs(one, clusters) for one in (first, second))
    if math.isnan(alone.value) or math.isnan(also.value):
        why = alone.method if math.isnan(alone.value) else also.method
        return ScoreDifference(alone, also, without_interval(math.nan, min(alone.n, also.n), why))
    return ScoreDifference(
        alone, also, *_between_pairs((first, second), (alone.value, also.value), clusters)
    )


def _between_pairs(
    both: tuple[PairSums, PairSums], values: tuple[float, float], clusters: Int[Array, " N"]
) -> tuple[Estimate, float | None]:
    joined = PairSums(*(np.concatenate([getattr(one, name) for one in both]) for name in _PAIRED))
    pairs, here = (
        TextPairs.of(clusters[joined.first], clusters[joined.second]),
        np.arange(len(joined.top)) < len(both[0].top),
    )
    bottoms = [np.where(mine, joined.bottom, 0.0) for mine in (here, ~here)]
    residuals = [
        np.where(mine, joined.top, 0.0) - value * bottom
        for mine, value, bottom in zip((here, ~here), values, bottoms, strict=True)
    ]
    (moved, met), (other, also) = (
        moves(each, bottom, pairs) for each, bottom in zip(residuals, bottoms, strict=True)
    )
    value, n = values[1] - values[0], len(np.unique(joined.first))
    groups = min(effective(pairs.by_text(bottom) ** 2) for bottom in bottoms)
    bounds = _bounds(*(bounds_if_kept(one.top, one.bottom, UNIT) for one in both))
    if has_no_spread(other - moved, max(np.abs(bottom).max() / bottom.sum() for bottom in bottoms)):
        return _of_alike(value, n, groups, bounds)
    error = length(other - moved, also - met, pairs)
    half = student(LEVEL, groups) * error
    method = f"jackknife of the difference over the texts of {len(here)} pairs"
    return Estimate(
        value, *clip_interval(value, value - half, value + half, bounds), n, method
    ), _students_p(value / error, groups)


def _bounds(first: Bounds, second: Bounds) -> Bounds:
    return None if two_sided(first) is None or two_sided(second) is None else (-_APART, _APART)


def _of_alike(value: float, n: int, alone: float, bounds: Bounds) -> tuple[Estimate, float | None]:
    """Give the interval where every text moves both scores equally; its p-value inverts the rule of
    three.
    """
    found = interval_of_equal_values(value, n, alone, LEVEL, bounds)
    if bounds is None:
        return found, None
    return found, min(1.0, math.exp(-alone * abs(value) / (abs(value) + _APART)))


def _p_value(t: float, drawn: Float[Array, " R"], alone: float) -> float:
    """Take the larger of the two p-values, because the interval takes the wider end."""
    beyond = drawn >= t if t > 0 else drawn <= t
    return min(1.0, max(_least_p(drawn) * (1 + float(beyond.sum())), _students_p(t, alone)))


def _least_p(drawn: Float[Array, " R"]) -> float:
    return 2 / (len(drawn) + 1)


def _students_p(t: float, groups: float) -> float:
    return float(2 * stdtr(max(groups - 1, 1.0), -abs(t)))
