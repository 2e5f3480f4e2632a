"""A ratio of sums over texts, with an interval that keeps its nominal coverage.

A mean is the special case with a denominator of ones.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from sightline.config.interval_settings import INTERVALS
from sightline.core.results import Estimate
from sightline.numerics.text_clusters import group_sums
from sightline.stats import resamples
from sightline.stats.intervals import (
    LEVEL,
    UNDEFINED,
    UNIT,
    UNSURE,
    Bounds,
    bounds_if_kept,
    clip_interval,
    describe_method,
    effective,
    has_no_spread,
    interval_of_equal_values,
    known_rows,
    resampled_units,
    student,
    without_interval,
)
from sightline.stats.strata import Strata

Array = np.ndarray
LOST: float = INTERVALS["lost"]
"""A resample with less than this share of the texts' spread is dropped: it lost what makes them
differ."""


@dataclass(frozen=True)
class RatioSums:
    """Numerator and denominator of a ratio of sums, text by text; named ``classes`` get equal
    weight.
    """

    top: Float[Array, " N"]
    bottom: Float[Array, " N"]
    classes: Int[Array, " N"] | None = None

    def at(self, rows: Int[Array, " K"]) -> RatioSums:
        """The sums of the texts in ``rows``."""
        return RatioSums(
            self.top[rows], self.bottom[rows], None if self.classes is None else self.classes[rows]
        )


def ratio(
    top: Float[Array, " N"],
    bottom: Float[Array, " N"] | None,
    seed: int,
    clusters: Int[Array, " N"] | None = None,
    level: float = LEVEL,
    bounds: Bounds = UNIT,
    classes: Int[Array, " N"] | None = None,
) -> Estimate:
    """Estimate ``r = Σ top / Σ bottom`` over the texts where both are defined; without a bottom,
    the mean.

    With U, V the sums of a cluster, G clusters and e = U − rV, the error of r by linearisation is
    ``s = √(G/(G−1) Σ e²) / Σ V`` (Cochran 1977, §6). Each resample gives both r* and s*. The
    quantiles t of ``(r* − r) / s*`` give the studentised interval
    ``[r − t(1−α/2) s, r − t(α/2) s]`` (Efron & Tibshirani 1993, §12.5). At each end the wider one
    of this and Student's interval is taken, because neither alone has the nominal coverage
    everywhere (``docs/decisions/0034-intervals.md``).

    Parameters
    ----------
    top, bottom
        Numerator and denominator; a text with NaN in either is left out.
    seed
        Selects the resamples; equal seeds give equal resamples.
    clusters
        Texts with the same number are not independent, and are resampled together.
    level
        Nominal coverage of the interval.
    bounds
        The smallest and the largest value a text can have. The interval keeps them if all clusters
        do. Where all texts are equal, no interval is known without them.
    classes
        Classes of texts that get equal weight, however rare: the sums are weighted (`strata`).
    """
    below = np.ones_like(top) if bottom is None else bottom
    rows = known_rows(top, below)
    if len(rows) == 0:
        return without_interval(math.nan, 0, UNDEFINED)
    return _estimated(
        top[rows], below[rows], Strata.of(rows, classes, clusters), seed, level, bounds
    )


def _estimated(
    top: Float[Array, " N"],
    bottom: Float[Array, " N"],
    strata: Strata,
    seed: int,
    level: float,
    bounds: Bounds,
) -> Estimate:
    n, line = len(top), linear(top, bottom, strata, level, bounds)
    if line is None:
        return without_interval(math.nan, n, UNSURE)
    value = line.value
    if line.alike:
        return interval_of_equal_values(value, n, line.alone, level, line.bounds, line.alike)
    low, high = _ends(line.residuals, line.under, line.alone, seed, level)
    even = ", classes weighted equally" if len(strata.sizes) > 1 else ""
    method = describe_method(
        f"studentised bootstrap over {resampled_units(n, len(line.under))}{even}", level
    )
    return Estimate(value, *clip_interval(value, value - low, value + high, line.bounds), n, method)


@dataclass(frozen=True)
class LinearizedRatio:
    """A ratio, and how much each resampled group moves it: by ``residuals / Σ under``.

    ``alone`` is the effective number of groups, had they equal weight. ``alike`` names what does
    not differ (all texts, or the texts of each class); ``scale`` is the largest contribution of a
    group.
    """

    value: float
    residuals: Float[Array, " G"]
    under: Float[Array, " G"]
    alone: float
    bounds: Bounds
    scale: float
    alike: str


def linear(
    top: Float[Array, " N"],
    bottom: Float[Array, " N"],
    strata: Strata,
    level: float,
    bounds: Bounds,
) -> LinearizedRatio | None:
    """Split a ratio by groups; None where its denominator may be 0."""
    given, room = strata.summed(top), strata.summed(bottom)
    each = strata.levelled(top), strata.levelled(bottom)
    above, under = (group_sums(one, strata.clusters) for one in each)
    if not _is_positive(room, under, level):
        return None
    value, alone = float(above.sum() / under.sum()), effective(room)
    residuals, bounds = above - value * under, bounds_if_kept(given, room, bounds)
    scale = float(max(np.abs(above).max(), np.abs(under).max()))
    if has_no_spread(residuals, scale):
        alike = "all texts" if has_no_spread(given - value * room, scale) else "texts of each class"
        return LinearizedRatio(value, residuals, under, alone, bounds, scale, alike)
    alone = min(alone, 1 + strata.freedom(each[0] - value * each[1]))
    return LinearizedRatio(value, residuals, under, alone, bounds, scale, "")


def _is_positive(room: Float[Array, " G"], under: Float[Array, " G"], level: float) -> bool:
    """Check that the denominator is surely above 0: no cluster's is negative, or its interval lies
    above 0.

    A ratio whose denominator may be 0, or whose ceiling may lie below chance, is undefined.
    """
    if room.min() >= 0:
        return bool(room.sum() > 0)
    groups = len(under)
    spread = under - under.mean()
    error = math.sqrt(groups / max(groups - 1, 1) * (spread @ spread))
    return bool(under.sum() > student(level, groups) * error)


def _ends(
    residuals: Float[Array, " G"], under: Float[Array, " G"], alone: float, seed: int, level: float
) -> tuple[float, float]:
    """Say how far the interval reaches below and above the ratio, with ``alone`` groups."""
    tail = (1 - level) / 2
    error = math.sqrt(scaled(len(under)) * (residuals @ residuals)) / under.sum()
    studentised = _studentised(residuals, under, error, seed, level)
    inner, outer = np.quantile(studentised, [tail, 1 - tail]) if len(studentised) else (0.0, 0.0)
    # On few texts the bootstrap alone is too narrow, so the wider end counts (decision 0034).
    usual = student(level, alone)
    return error * max(outer, usual), error * max(-inner, usual)


def _studentised(
    residuals: Float[Array, " G"], under: Float[Array, " G"], error: float, seed: int, level: float
) -> Float[Array, " R"]:
    """Give ``(r* − r) / s*`` of every resample that keeps enough of the spread.

    With d = r* − r, the residuals of a resample are e − dV. The sums of e and V, and of their
    products, give both r* and s*.
    """
    products = np.stack([residuals, under, residuals**2, residuals * under, under**2], axis=1)
    drawn = resamples.sums(products, seed, level)
    sums, total, *squares = drawn[drawn[:, 1] > 0].T
    shift = sums / total
    squared = squares[0] - 2 * shift * squares[1] + shift**2 * squares[2]
    errors = np.sqrt(scaled(len(under)) * np.maximum(squared, 0)) / total
    whole = errors > LOST * error
    return np.asarray(shift[whole] / errors[whole])


def scaled(groups: int) -> float:
    """Factor from a sum of squares over groups to the variance of their sum."""
    return groups / (groups - 1)
