"""The shape of many numbers, as figures draw it: how many lie where, how densely, and the largest
of each text.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Float, Int

from sightline.core.results import Ragged

Array = np.ndarray


def counted(values: Float[Array, " N"], edges: Float[Array, " E"]) -> Int[Array, " F"]:
    """Count the values in each bin, the left edge in it and the right one not, but for the last;
    NaN is in none.
    """
    return np.asarray(np.histogram(values[~np.isnan(values)], edges)[0], dtype=np.int64)


def bin_of(values: Float[Array, " N"], edges: Float[Array, " E"]) -> Int[Array, " N"]:
    """Give the bin of each value, by the rule of `counted`; −1 where it lies in none."""
    last = len(edges) - 2
    place = np.where(values == edges[-1], last, np.searchsorted(edges, values, side="right") - 1)
    return np.where((place >= 0) & (place <= last), place, -1).astype(np.int64)


def quartiles(values: Float[Array, " N"]) -> tuple[float, float, float]:
    """Give the lower quartile, the median and the upper one, between two values where they fall
    there.
    """
    low, middle, high = np.quantile(values, (0.25, 0.5, 0.75)).tolist()
    return low, middle, high


def density(values: Float[Array, " N"], at: Float[Array, " A"]) -> Float[Array, " A"]:
    """Estimate how densely the values lie: Gaussian kernels as wide as Scott's rule says, σ ·
    N^(−1/5).
    """
    width = values.std(ddof=1) * len(values) ** -0.2
    away = (at[:, None] - values[None, :]) / width
    return np.asarray(
        np.exp(-0.5 * away**2).sum(axis=1) / (len(values) * width * np.sqrt(2 * np.pi))
    )


def largest(values: Ragged) -> Float[Array, " N"]:
    """Give the largest value of each text; NaN of a text without words, or of one with a value that
    is undefined.
    """
    return np.array([row.max() if len(row) else np.nan for row in values.rows()], dtype=float)
