"""The shape of many numbers, as figures draw it: how many lie where, and the largest of each text."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float, Int

from sightline.results import Ragged

Array = np.ndarray


def counted(values: Float[Array, " N"], edges: Float[Array, " E"]) -> Int[Array, " F"]:
    """Count the values in each bin, the left edge in it and the right one not, but for the last; NaN is in none."""
    return np.asarray(np.histogram(values[~np.isnan(values)], edges)[0], dtype=np.int64)


def largest(values: Ragged) -> Float[Array, " N"]:
    """Give the largest value of each text; NaN of a text without words, or of one with a value that is undefined."""
    return np.array([row.max() if len(row) else np.nan for row in values.rows()], dtype=float)
