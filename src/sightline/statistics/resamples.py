"""Resamples of texts, or of clusters of them, as weights: how often each was drawn."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from jaxtyping import Float, UInt16

from sightline.seeds import Seeds
from sightline.statistics.intervals import LEVEL

Array = np.ndarray
RESAMPLES = 2000
"""At the usual level; a higher one takes more, so that as many lie beyond each end."""
_AT_ONCE = 2**17
"""Weights, so that they stay in the processor's cache."""


def how_many(level: float) -> int:
    """Say how many resamples an interval of a level takes."""
    return round(RESAMPLES * max(1.0, (1 - LEVEL) / (1 - level)))


def sums(columns: Float[Array, "G S"], seed: int, level: float = LEVEL) -> Float[Array, "R S"]:
    """Add up each column over as many groups as there are, drawn with replacement, again and again.

    Depends on the seed and the level alone, and is drawn once for each number of groups: an audit makes hundreds of
    intervals of the same texts, drawing is what costs, and numbers that are equal have equal intervals.
    """
    groups = len(columns)
    drawn, size = _drawn(groups, seed, how_many(level)), max(1, _AT_ONCE // groups)
    return np.concatenate([drawn[i : i + size].astype(float) @ columns for i in range(0, len(drawn), size)])


@lru_cache(maxsize=16)
def _drawn(groups: int, seed: int, count: int) -> UInt16[Array, "R G"]:
    """Count how often each resample draws each group."""
    generator, size = Seeds(seed).generator("resamples", groups), max(1, _AT_ONCE // groups)
    parts = []
    for start in range(0, count, size):
        rows = min(size, count - start)
        drawn = generator.integers(groups, size=(rows, groups), dtype=np.int32) + groups * np.arange(rows)[:, None]
        parts.append(np.bincount(drawn.ravel(), minlength=rows * groups).reshape(rows, groups).astype(np.uint16))
    return np.concatenate(parts)
