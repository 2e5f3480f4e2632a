"""A ratio of sums over texts, with an interval that holds it as often as it says; a mean is one over ones."""

from __future__ import annotations

import math

import numpy as np
from jaxtyping import Float, Int

from sightline.results import Estimate
from sightline.statistics import resamples
from sightline.statistics.intervals import (
    LEVEL,
    UNDEFINED,
    UNIT,
    UNSURE,
    Bounds,
    all_alike,
    effective,
    from_alike,
    held,
    kept,
    known_rows,
    numbered,
    over,
    student,
    summed,
    told,
    without_interval,
)

Array = np.ndarray
_LOST = 0.1
"""Of the spread of the texts: a resample with less of it has lost what made them differ, and says nothing of it."""


def ratio(
    top: Float[Array, " N"],
    bottom: Float[Array, " N"] | None,
    seed: int,
    clusters: Int[Array, " N"] | None = None,
    level: float = LEVEL,
    bounds: Bounds = UNIT,
) -> Estimate:
    """Estimate ``r = Σ top / Σ bottom`` over the texts where both are defined; without a bottom, the mean.

    With U, V the sums of a cluster, G clusters and e = U − rV, the error of r by linearisation is
    ``s = √(G/(G−1) Σ e²) / Σ V`` (Cochran 1977, §6). Each resample gives r* and s* alike, and the quantiles t of
    ``(r* − r) / s*`` the studentised interval ``[r − t(1−α/2) s, r − t(α/2) s]`` (Efron & Tibshirani 1993, §12.5).
    Where Student's interval is wider at an end, its end is taken: neither holds the ratio often enough everywhere
    (``docs/decisions/0034-intervals.md``).

    Parameters
    ----------
    top, bottom
        What is added up above and below the line; a text of which one is NaN is left out.
    seed
        Names the resamples; equal seeds draw alike.
    clusters
        Texts with the same number are no independent witnesses, and are drawn together.
    level
        How often the interval should hold the ratio.
    bounds
        The least and the largest value a text can have. The interval keeps them if all clusters do, and where all
        texts are alike it cannot be told without them.
    """
    below = np.ones_like(top) if bottom is None else bottom
    rows = known_rows(top, below)
    n = len(rows)
    if n == 0:
        return without_interval(math.nan, 0, UNDEFINED)
    members = numbered(None if clusters is None else clusters[rows], n)
    above, under = summed(top[rows], members), summed(below[rows], members)
    if bottom is not None and not _is_positive(under, level):
        return without_interval(math.nan, n, UNSURE)
    value = float(above.sum() / under.sum())
    residuals, bounds = above - value * under, kept(above, under, bounds)
    if all_alike(residuals, max(np.abs(above).max(), np.abs(under).max())):
        return from_alike(value, n, effective(under), level, bounds)
    low, high = _ends(residuals, under, seed, level)
    method = told(f"studentised bootstrap over {over(n, len(under))}", level)
    return Estimate(value, *held(value, value - low, value + high, bounds), n, method)


def _is_positive(under: Float[Array, " G"], level: float) -> bool:
    """Tell whether the sum below is above 0 for sure: no cluster's is below, or its interval lies above.

    A ratio to what may be nothing, or to a ceiling that may lie below chance, is no number.
    """
    if under.min() >= 0:
        return bool(under.sum() > 0)
    groups = len(under)
    spread = under - under.mean()
    error = math.sqrt(groups / max(groups - 1, 1) * (spread @ spread))
    return bool(under.sum() > student(level, groups) * error)


def _ends(residuals: Float[Array, " G"], under: Float[Array, " G"], seed: int, level: float) -> tuple[float, float]:
    """Say how far the interval reaches below the ratio and above it."""
    tail = (1 - level) / 2
    error = math.sqrt(_scaled(len(under)) * (residuals @ residuals)) / under.sum()
    studentised = _studentised(residuals, under, error, seed, level)
    inner, outer = np.quantile(studentised, [tail, 1 - tail]) if len(studentised) else (0.0, 0.0)
    usual = student(level, effective(under))
    return error * max(outer, usual), error * max(-inner, usual)


def _studentised(
    residuals: Float[Array, " G"], under: Float[Array, " G"], error: float, seed: int, level: float
) -> Float[Array, " R"]:
    """Give ``(r* − r) / s*`` of every resample that kept some of the spread.

    With d = r* − r, the residuals of a resample are e − dV; sums of e and V, and of their products, give both.
    """
    products = np.stack([residuals, under, residuals**2, residuals * under, under**2], axis=1)
    drawn = resamples.sums(products, seed, level)
    sums, total, *squares = drawn[drawn[:, 1] > 0].T
    shift = sums / total
    squared = squares[0] - 2 * shift * squares[1] + shift**2 * squares[2]
    errors = np.sqrt(_scaled(len(under)) * np.maximum(squared, 0)) / total
    whole = errors > _LOST * error
    return np.asarray(shift[whole] / errors[whole])


def _scaled(groups: int) -> float:
    return groups / (groups - 1)
