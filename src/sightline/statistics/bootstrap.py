"""Intervals over texts: what another sample of texts from the same source might have given."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from jaxtyping import Float
from scipy.stats import norm

from sightline.results import Estimate
from sightline.seeds import Seeds

Array = np.ndarray
RESAMPLES = 2000
LEVEL = 0.95
_AT_ONCE = 2**22


def mean(values: Float[Array, " N"], seed: int, stage: str) -> Estimate:
    """Mean over the texts where it is defined, with a percentile bootstrap interval (Efron & Tibshirani 1993, §13).

    Where all texts have the same value no resample differs; then the interval is that of the rule of three for values
    within a range of one (Hanley & Lippman-Hand 1983): 3/n to either side.
    """
    known = values[~np.isnan(values)]
    if len(known) == 0:
        return Estimate(float("nan"), float("nan"), float("nan"), 0, "undefined for every text")
    centre = float(known.mean())
    if np.ptp(known) == 0:
        return Estimate(centre, centre - 3 / len(known), centre + 3 / len(known), len(known), "rule of three")
    drawn = [known[index].mean(axis=1) for index in _resamples(len(known), seed, stage)]
    low, high = np.quantile(np.concatenate(drawn), [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Estimate(centre, float(low), float(high), len(known), f"bootstrap over texts, {RESAMPLES} resamples")


def proportion(hits: Float[Array, " N"]) -> Estimate:
    """Share of texts with Wilson's (1927) score interval, which is honest at 0 and 1 too."""
    known = hits[~np.isnan(hits)]
    n = len(known)
    if n == 0:
        return Estimate(float("nan"), float("nan"), float("nan"), 0, "undefined for every text")
    share, z = float(known.mean()), float(norm.ppf((1 + LEVEL) / 2))
    centre = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    return Estimate(share, max(0.0, float(centre - half)), min(1.0, float(centre + half)), n, "Wilson")


def statistic(counts: Float[Array, "N *S"], compute: Callable[[Array], Array], seed: int, stage: str) -> Estimate:
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
        return Estimate(centre, centre - 3 / n, centre + 3 / n, n, "rule of three")
    low, high = np.quantile(values, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Estimate(centre, float(low), float(high), n, f"bootstrap over texts, {RESAMPLES} resamples")


def _resamples(n: int, seed: int, stage: str) -> Iterator[Array]:
    """Draw the texts of each resample, a chunk at a time so that memory stays small."""
    generator = Seeds(seed).generator("bootstrap", stage)
    size = max(1, min(RESAMPLES, _AT_ONCE // n))
    for start in range(0, RESAMPLES, size):
        yield generator.integers(n, size=(min(size, RESAMPLES - start), n))
