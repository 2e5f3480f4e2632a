"""What all confidence intervals share: the level, clusters of texts, bounds, and the words used
where no interval is known.
"""

from __future__ import annotations

import math

import numpy as np
from jaxtyping import Float, Int, Shaped
from scipy.special import stdtrit

from sightline.config.interval_settings import INTERVALS
from sightline.core.interval_level import with_level
from sightline.core.results import Estimate

Array = np.ndarray
Bounds = tuple[float, float] | None
LEVEL: float = INTERVALS["level"]
UNIT = (-1.0, 1.0)
"""Bounds of a difference of shares or probabilities, or of a correlation."""
LOG_2 = (0.0, math.log(2))
"""Bounds of the Jensen-Shannon divergence, in nats."""
UNDEFINED = "undefined for every text"
UNSURE = "undefined: the best achievable is not surely above chance"
_TOLERANCE = 1e-9
"""Relative to the scale: smaller differences are due to rounding."""


def number_clusters(clusters: Int[Array, " N"] | None, n: int) -> Int[Array, " N"]:
    """Number the clusters from 0; without clusters each text is its own."""
    return np.arange(n) if clusters is None else np.unique(clusters, return_inverse=True)[1]


def effective(sizes: Float[Array, " G"]) -> float:
    """Effective number of groups of unequal sizes, ``(Σ s)² / Σ s²`` (Kish 1965)."""
    return float(sizes.sum() ** 2 / (sizes @ sizes))


def student(level: float, groups: float | int) -> float:
    """Quantile of Student's t for a two-sided interval over so many groups, at least two."""
    return float(stdtrit(max(groups - 1, 1.0), (1 + level) / 2))


def has_no_spread(residuals: Float[Array, "*G"], scale: float) -> bool:
    """Check that values differ from 0 by no more than rounding: 1e-15 is no spread."""
    return bool(np.abs(residuals).max() <= _TOLERANCE * scale)


def bounds_if_kept(top: Float[Array, " G"], bottom: Float[Array, " G"], bounds: Bounds) -> Bounds:
    """Give each bound that every group keeps, because then every ratio of their sums does, too; an
    infinite one in place of the other, and None if neither is kept.

    A group without room (a bottom of 0) keeps them up to the rounding of the others.
    """
    if bounds is None:
        return None
    slack = _TOLERANCE * np.abs(bottom).max(initial=0.0)
    low = bounds[0] if (top >= bounds[0] * bottom - slack).all() else -math.inf
    high = bounds[1] if (top <= bounds[1] * bottom + slack).all() else math.inf
    return None if math.isinf(low) and math.isinf(high) else (low, high)


def two_sided(bounds: Bounds) -> Bounds:
    """Give bounds if both are finite; else None."""
    return None if bounds is None or not all(map(math.isfinite, bounds)) else bounds


def clip_interval(value: float, low: float, high: float, bounds: Bounds) -> tuple[float, float]:
    """Cut an interval at the bounds, but keep the value inside."""
    least, most = bounds or (-math.inf, math.inf)
    return float(min(max(low, least), value)), float(max(min(high, most), value))


def without_interval(value: float, n: int, why: str) -> Estimate:
    """Give a value without an interval, or NaN without either; ``why`` says the reason."""
    return Estimate(value, math.nan, math.nan, n, why)


def interval_of_equal_values(
    value: float,
    n: int,
    groups: float | int,
    level: float,
    bounds: Bounds,
    alike: str = "all texts",
) -> Estimate:
    """Give an interval where all texts are equal, or those of each class: no resample differs, and
    a bootstrap interval would claim certainty. ``alike`` names them.

    Rule of three (Hanley & Lippman-Hand 1983): with 95 % confidence, at most −log(.05) / n ≈ 3/n of
    all texts differ from n equal texts. These could lie at a bound. Without two bounds no interval
    is known, and the method says so.
    """
    if (bounds := two_sided(bounds)) is None:
        return without_interval(value, n, f"{alike} equal; no interval is known")
    unseen = min(1.0, -math.log(1 - level) / groups)
    low, high = value - unseen * (value - bounds[0]), value + unseen * (bounds[1] - value)
    method = describe_method(f"{alike} equal: rule of three", level)
    return Estimate(value, *clip_interval(value, low, high, bounds), n, method)


def resampled_units(n: int, groups: int) -> str:
    """Name the resampled units: texts, or clusters where there are fewer of them."""
    return "texts" if groups == n else f"{groups} clusters of texts"


def describe_method(method: str, level: float) -> str:
    """Describe how an interval was made, with its level where that is not the usual one."""
    return method if level == LEVEL else with_level(method, level)


def known_rows(*columns: Shaped[Array, " N"]) -> Int[Array, " K"]:
    """The rows without NaN in any column, so that all means are over the same texts."""
    return np.flatnonzero(~np.isnan(np.stack(columns)).any(axis=0))
