"""Confidence intervals over texts: how much another sample from the same source could differ."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np
from jaxtyping import Float, Int
from scipy.special import ndtr, ndtri

from sightline.core.results import Estimate
from sightline.numerics.count_tables import Counts
from sightline.numerics.text_clusters import group_sums
from sightline.stats import resamples
from sightline.stats.intervals import (
    LEVEL,
    UNDEFINED,
    UNIT,
    Bounds,
    clip_interval,
    describe_method,
    effective,
    has_no_spread,
    interval_of_equal_values,
    known_rows,
    number_clusters,
    resampled_units,
    student,
    without_interval,
)
from sightline.stats.ratios import ratio

Array = np.ndarray
Compute = Callable[[Array], Array]
_TABLES, _COLUMNS = 2**21, 2**23
"""Most numbers held at once: in the tables given to a statistic, and in the columns that are summed
over groups."""
_WHOLE = 2**14
"""Largest number of cells of a small table: two confusion matrices of up to 90 classes."""


def mean(
    values: Float[Array, " N"],
    seed: int,
    bounds: Bounds = UNIT,
    clusters: Int[Array, " N"] | None = None,
    level: float = LEVEL,
    classes: Int[Array, " N"] | None = None,
) -> Estimate:
    """Mean over the texts with a value, with the interval of `ratio`."""
    return ratio(values, None, seed, clusters, level, bounds, classes)


def proportion(
    hits: Float[Array, " N"], clusters: Int[Array, " N"] | None = None, level: float = LEVEL
) -> Estimate:
    """Share of texts with Wilson's (1927) score interval, which also holds its level near 0 and 1.

    Clustered texts carry less information. So n is divided by the design effect: the variance over
    clusters divided by the variance of as many independent texts (Kish 1965; Dean & Pagano 2015
    for Wilson's interval). z is then a quantile of Student's t over as many clusters of equal size as
    carry the same weight (`effective`). If all texts are equal, the design effect is unknown, and
    these clusters are counted instead. One cluster alone says nothing of others.
    """
    rows = known_rows(hits)
    n = len(rows)
    if n == 0:
        return without_interval(math.nan, 0, UNDEFINED)
    known, members = hits[rows], number_clusters(None if clusters is None else clusters[rows], n)
    share, groups = float(known.mean()), int(members.max()) + 1
    if groups == 1 < n:
        return interval_of_equal_values(share, n, groups, level, (0.0, 1.0))
    alone = groups == n
    even = effective(np.bincount(members).astype(float))
    n_alone = n if alone else _alone(known, members, share, even)
    z = float(ndtri((1 + level) / 2)) if alone else student(level, even)
    centre = (share + z**2 / (2 * n_alone)) / (1 + z**2 / n_alone)
    half = (
        z
        / (1 + z**2 / n_alone)
        * math.sqrt(share * (1 - share) / n_alone + z**2 / (4 * n_alone**2))
    )
    method = describe_method(
        "Wilson" if alone else f"Wilson over {resampled_units(n, groups)}", level
    )
    return Estimate(
        share, *clip_interval(share, centre - half, centre + half, (0.0, 1.0)), n, method
    )


def _alone(hits: Float[Array, " N"], members: Int[Array, " N"], share: float, even: float) -> float:
    """Count the independent texts that would carry as much information: at most all of them."""
    residuals = group_sums(hits - share, members)
    if has_no_spread(residuals, 1.0):
        return even if share in (0.0, 1.0) else float(len(hits))
    variance = residuals @ residuals / len(hits)
    return float(min(len(hits) * share * (1 - share) / variance, len(hits)))


def statistic(
    counts: Counts,
    compute: Compute,
    seed: int,
    bounds: Bounds = UNIT,
    clusters: Int[Array, " N"] | None = None,
    level: float = LEVEL,
) -> Estimate:
    """Bootstrap a statistic of summed counts, such as F1 of a confusion matrix; ``compute`` maps
    ``R *S`` to ``R``.

    The interval takes bias-corrected, accelerated quantiles (BCa; Efron 1987). At each end it takes
    Student's interval with the jackknife's error instead, where that one is wider.
    """
    n, members = counts.texts, number_clusters(clusters, counts.texts)
    groups = int(members.max()) + 1
    centre = float(compute(counts.total()[None])[0])
    if groups == 1:  # leaving it out leaves no text
        return interval_of_equal_values(centre, n, groups, level, bounds)
    left_out = _left_out(counts, members, compute)
    if has_no_spread(left_out - left_out.mean(), 1.0):
        return interval_of_equal_values(centre, n, groups, level, bounds)
    drawn = _resampled(counts, members, compute, seed, level)
    influence = left_out.mean() - left_out
    half = student(level, groups) * math.sqrt((groups - 1) / groups * (influence @ influence))
    low, high = _accelerated(drawn, centre, influence, level)
    ends = clip_interval(centre, min(low, centre - half), max(high, centre + half), bounds)
    return Estimate(
        centre, *ends, n, describe_method(f"BCa bootstrap over {resampled_units(n, groups)}", level)
    )


def _left_out(counts: Counts, members: Int[Array, " N"], compute: Compute) -> Float[Array, " G"]:
    """Compute the statistic without each group, as many tables at once as fit."""
    total, cells, groups = counts.total(), np.arange(counts.cells), int(members.max()) + 1
    some = [range(groups)[i : i + _at_once(counts)] for i in range(0, groups, _at_once(counts))]
    tables = (counts.sums(members, each, cells).reshape(-1, *counts.shape) for each in some)
    return np.concatenate([compute(total - each) for each in tables])


def _resampled(
    counts: Counts, members: Int[Array, " N"], compute: Compute, seed: int, level: float
) -> Float[Array, " R"]:
    """Compute the statistic of every resample, as many tables at once as fit."""
    groups = int(members.max()) + 1
    # A matrix product may round a sum differently depending on which other columns are in the
    # matrix. So a small table always has all its columns.
    cells = np.arange(counts.cells) if counts.cells <= _WHOLE else np.unique(counts.cell)
    width, out = max(1, _COLUMNS // groups), []
    columns = lru_cache(maxsize=1)(
        lambda i: counts.sums(members, range(groups), cells[i : i + width])
    )  # often all
    for weights in resamples.weights(groups, seed, level):
        sums = np.concatenate([weights @ columns(i) for i in range(0, len(cells), width)], axis=1)
        for i in range(0, len(sums), _at_once(counts)):
            tables = np.zeros((len(sums[i : i + _at_once(counts)]), counts.cells))
            tables[:, cells] = sums[i : i + _at_once(counts)]
            out.append(compute(tables.reshape(-1, *counts.shape)))
    return np.concatenate(out)


def _at_once(counts: Counts) -> int:
    return max(1, _TABLES // counts.cells)


def _accelerated(
    drawn: Float[Array, " R"], centre: float, influence: Float[Array, " G"], level: float
) -> tuple[float, float]:
    """Take the quantiles corrected for the bias of the resamples and for an error that depends on
    the value.
    """
    below = (drawn < centre).mean() + (drawn == centre).mean() / 2
    bias = ndtri(np.clip(below, 1 / len(drawn), 1 - 1 / len(drawn)))
    acceleration = (influence**3).sum() / (6 * (influence @ influence) ** 1.5)
    shifted = bias + ndtri(np.array([1 - level, 1 + level]) / 2)
    low, high = np.quantile(drawn, ndtr(bias + shifted / (1 - acceleration * shifted)))
    return float(low), float(high)
