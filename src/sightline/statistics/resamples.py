"""Resamples of texts, or of clusters of them, as weights: how often each was drawn."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from jaxtyping import Float

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


def weights(groups: int, seed: int, stage: str, level: float = LEVEL) -> Iterator[Float[Array, "R G"]]:
    """Draw as many groups as there are, with replacement, again and again; a chunk at a time.

    A sum over a resample is then a product of matrices. Depends on the seed, the stage and the level alone.
    """
    generator, count = Seeds(seed).generator("bootstrap", stage), how_many(level)
    size = max(1, min(count, _AT_ONCE // groups))
    for start in range(0, count, size):
        rows = min(size, count - start)
        drawn = generator.integers(groups, size=(rows, groups), dtype=np.int32) + groups * np.arange(rows)[:, None]
        yield np.bincount(drawn.ravel(), minlength=rows * groups).reshape(rows, groups).astype(float)
