"""Summaries for figures: counts by bin, quartiles, densities, the largest value of each text."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float, Int

from sightline.core.results import Ragged

Array = np.ndarray


def bin_counts(values: Float[Array, " N"], edges: Float[Array, " E"]) -> Int[Array, " F"]:
    """Count the values in each bin. A bin includes its left edge, and the last one its right edge,
    too; NaN is in no bin.
    """
    return np.asarray(np.histogram(values[~np.isnan(values)], edges)[0], dtype=np.int64)


def bin_of(values: Float[Array, " N"], edges: Float[Array, " E"]) -> Int[Array, " N"]:
    """Give the bin of each value by the rule of `bin_counts`; −1 where it lies in no bin."""
    last = len(edges) - 2
    place = np.where(values == edges[-1], last, np.searchsorted(edges, values, side="right") - 1)
    return np.where((place >= 0) & (place <= last), place, -1).astype(np.int64)


def quartiles(values: Float[Array, " N"]) -> tuple[float, float, float]:
    """Give the lower quartile, the median and the upper quartile, interpolated linearly."""
    low, middle, high = np.quantile(values, (0.25, 0.5, 0.75)).tolist()
    return low, middle, high


def density(values: Float[Array, " N"], at: Float[Array, " A"]) -> Float[Array, " A"]:
    """Estimate the density by Gaussian kernels with the bandwidth of Scott's rule, σ · N^(−1/5)."""
    width = values.std(ddof=1) * len(values) ** -0.2
    away = (at[:, None] - values[None, :]) / width
    return np.asarray(
        np.exp(-0.5 * away**2).sum(axis=1) / (len(values) * width * np.sqrt(2 * np.pi))
    )


def largest(values: Ragged) -> Float[Array, " N"]:
    """Give the largest value of each text; NaN without words or with an undefined value."""
    return np.array([row.max() if len(row) else np.nan for row in values.rows()], dtype=float)
