"""Intervals over texts: what another sample of texts from the same source might have given."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from jaxtyping import Float
from scipy.special import ndtri

from sightline.results import Estimate
from sightline.seeds import Seeds

Array = np.ndarray
RESAMPLES = 2000
LEVEL = 0.95
UNIT = (-1.0, 1.0)
"""Bounds of a share, a difference of probabilities, or a correlation."""
_AT_ONCE = 2**22


def mean(values: Float[Array, " N"], seed: int, stage: str, bounds: tuple[float, float] | None = UNIT) -> Estimate:
    """Mean over the texts where it is defined, with a percentile bootstrap interval (Efron & Tibshirani 1993, §13).

    ``bounds`` are the least and the largest value a text can have; see `_alike` for what they are needed for.
    """
    known = values[~np.isnan(values)]
    if len(known) == 0:
        return Estimate(float("nan"), float("nan"), float("nan"), 0, "undefined for every text")
    centre = float(known.mean())
    if np.ptp(known) == 0:
        return _alike(centre, len(known), bounds)
    drawn = [known[index].mean(axis=1) for index in _resamples(len(known), seed, stage)]
    low, high = np.quantile(np.concatenate(drawn), [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Estimate(centre, float(low), float(high), len(known), f"bootstrap over texts, {RESAMPLES} resamples")


def proportion(hits: Float[Array, " N"]) -> Estimate:
    """Share of texts with Wilson's (1927) score interval, which is honest at 0 and 1 too."""
    known = hits[~np.isnan(hits)]
    n = len(known)
    if n == 0:
        return Estimate(float("nan"), float("nan"), float("nan"), 0, "undefined for every text")
    share, z = float(known.mean()), float(ndtri((1 + LEVEL) / 2))
    centre = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    return Estimate(share, max(0.0, float(centre - half)), min(1.0, float(centre + half)), n, "Wilson")


def statistic(
    counts: Float[Array, "N *S"],
    compute: Callable[[Array], Array],
    seed: int,
    stage: str,
    bounds: tuple[float, float] | None = UNIT,
) -> Estimate:
    """Bootstrap a statistic of summed counts, such as F1 of a confusion matrix; ``compute`` maps ``R *S`` to ``R``."""
    n = len(counts)
    centre = float(compute(counts.sum(axis=0)[None])[0])
    flat = counts.reshape(n, -1)
    drawn = []
    for index in _resamples(n, seed, stage):
        weights = np.stack([np.bincount(row, minlength=n) for row in index])
        drawn.append(compute((weights @ flat).reshape(len(index), *counts.shape[1:])))
    values = np.concatenate(drawn)
    if np.ptp(values) == 0:
        return _alike(centre, n, bounds)
    low, high = np.quantile(values, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Estimate(centre, float(low), float(high), n, f"bootstrap over texts, {RESAMPLES} resamples")


def _alike(value: float, n: int, bounds: tuple[float, float] | None) -> Estimate:
    """Give an interval where all texts are alike, so that no resample differs and the bootstrap would claim certainty.

    Rule of three (Hanley & Lippman-Hand 1983): at 95 %, at most 3/n of all texts are of a kind that n texts have not
    shown once; these could lie at a bound. Without bounds nothing can be said, and the method says so.
    """
    if bounds is None:
        return Estimate(value, value, value, n, "all texts alike; no interval is known")
    unseen = min(1.0, 3 / n)
    low, high = value - unseen * (value - bounds[0]), value + unseen * (bounds[1] - value)
    return Estimate(value, low, high, n, "all texts alike: rule of three")


def _resamples(n: int, seed: int, stage: str) -> Iterator[Array]:
    """Draw the texts of each resample, a chunk at a time so that memory stays small."""
    generator = Seeds(seed).generator("bootstrap", stage)
    size = max(1, min(RESAMPLES, _AT_ONCE // n))
    for start in range(0, RESAMPLES, size):
        yield generator.integers(n, size=(min(size, RESAMPLES - start), n))
