"""What every interval shares: its level, how many groups of texts it rests on, and what is said
without one.
"""

from __future__ import annotations

import math

import numpy as np
from jaxtyping import Float, Int, Shaped
from scipy.special import stdtrit

from sightline.config.interval_settings import INTERVALS
from sightline.core.results import Estimate

Array = np.ndarray
Bounds = tuple[float, float] | None
LEVEL: float = INTERVALS["level"]
UNIT = (-1.0, 1.0)
"""Bounds of a share, a difference of probabilities, or a correlation."""
LOG_2 = (0.0, math.log(2))
"""Bounds of the Jensen-Shannon divergence, in nats."""
UNDEFINED = "undefined for every text"
UNSURE = "undefined: the ceiling is not surely above chance"
_TOLERANCE = 1e-9
"""Of the scale: what is nearer than this differs by rounding and not by the texts."""


def summed(values: Float[Array, "N *S"], members: Int[Array, " N"]) -> Float[Array, "G *S"]:
    """Add up the rows of each group; ``members`` numbers the groups from 0."""
    sums = np.zeros((int(members.max()) + 1, *values.shape[1:]))
    np.add.at(sums, members, values)
    return sums


def numbered(clusters: Int[Array, " N"] | None, n: int) -> Int[Array, " N"]:
    """Number the clusters from 0; without clusters each text stands alone."""
    return np.arange(n) if clusters is None else np.unique(clusters, return_inverse=True)[1]


def effective(sizes: Float[Array, " G"]) -> float:
    """Give the number of equal groups that would weigh as unequally as these: ``(Σ s)² / Σ s²``
    (Kish 1965).
    """
    return float(sizes.sum() ** 2 / (sizes @ sizes))


def student(level: float, groups: float | int) -> float:
    """Quantile of Student's t for a two-sided interval from so many groups, of which two are the
    fewest.
    """
    return float(stdtrit(max(groups - 1, 1.0), (1 + level) / 2))


def all_alike(residuals: Float[Array, "*G"], scale: float) -> bool:
    """Tell whether nothing differs by more than rounding does; one value off by 1e-15 is no
    spread.
    """
    return bool(np.abs(residuals).max() <= _TOLERANCE * scale)


def kept(top: Float[Array, " G"], bottom: Float[Array, " G"], bounds: Bounds) -> Bounds:
    """Give the bounds where every group keeps them, as then does every ratio of their sums; else
    none hold.
    """
    if bounds is None:
        return None
    slack = _TOLERANCE * np.abs(bottom)
    inside = (top >= bounds[0] * bottom - slack) & (top <= bounds[1] * bottom + slack)
    return bounds if inside.all() else None


def held(value: float, low: float, high: float, bounds: Bounds) -> tuple[float, float]:
    """Cut an interval at the bounds, and leave the value in it."""
    least, most = bounds or (-math.inf, math.inf)
    return float(min(max(low, least), value)), float(max(min(high, most), value))


def without_interval(value: float, n: int, why: str) -> Estimate:
    """Give a value of which no interval is known, or no value either."""
    return Estimate(value, math.nan, math.nan, n, why)


def from_alike(value: float, n: int, groups: float | int, level: float, bounds: Bounds) -> Estimate:
    """Give an interval where all texts are alike, so that no resample differs and the bootstrap
    would claim certainty.

    Rule of three (Hanley & Lippman-Hand 1983): at 95 %, at most −log(.05) / n = 3/n of all texts
    are of a kind that n texts have not shown once; these could lie at a bound. Without bounds
    nothing can be said, and the method says so.
    """
    if bounds is None:
        return without_interval(value, n, "all texts alike; no interval is known")
    unseen = min(1.0, -math.log(1 - level) / groups)
    low, high = value - unseen * (value - bounds[0]), value + unseen * (bounds[1] - value)
    return Estimate(value, *held(value, low, high, bounds), n, "all texts alike: rule of three")


def over(n: int, groups: int) -> str:
    """Name what was resampled: texts, or the clusters of them where these are fewer."""
    return "texts" if groups == n else f"{groups} clusters of texts"


def describe_method(method: str, level: float) -> str:
    """Say how an interval was made, with its level where it is not the usual one."""
    return method if level == LEVEL else f"{method}, {100 * level:.4g} % interval"


def known_rows(*columns: Shaped[Array, " N"]) -> Int[Array, " K"]:
    """The rows that every column has a number for: means are over the same texts."""
    return np.flatnonzero(~np.isnan(np.stack(columns)).any(axis=0))
