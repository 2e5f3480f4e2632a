"""Resamples of texts, or of clusters of them, as weights: how often each was drawn."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np
from jaxtyping import Float, UInt16

from sightline.config.interval_settings import INTERVALS
from sightline.core.seeds import Seeds
from sightline.stats.intervals import LEVEL

Array = np.ndarray
RESAMPLES: int = INTERVALS["resamples"]
"""At the usual level; a higher one takes more, so that as many lie beyond each end."""
_AT_ONCE = 2**17
"""Weights, so that they stay in the processor's cache."""
_MOST_KEPT = 2**28
"""Weights of one number of groups that are kept, two bytes each."""


def how_many(level: float) -> int:
    """Say how many resamples an interval of a level takes."""
    return round(RESAMPLES * max(1.0, (1 - LEVEL) / (1 - level)))


def sums(columns: Float[Array, "G S"], seed: int, level: float = LEVEL) -> Float[Array, "R S"]:
    """Add up each column over as many groups as there are, drawn with replacement, again and
    again.
    """
    return np.concatenate([drawn @ columns for drawn in weights(len(columns), seed, level)])


def weights(groups: int, seed: int, level: float = LEVEL) -> Iterator[Float[Array, "r G"]]:
    """Give all resamples, some at once, as how often each draws each group.

    They depend on the seed and the level alone, and are drawn once for each number of groups: an
    audit makes hundreds of intervals of the same texts, drawing is what costs, and numbers that are
    equal have equal intervals. What would be too large to keep is drawn again.
    """
    count = how_many(level)
    draw = _kept if groups * count <= _MOST_KEPT else _drawn
    return (drawn.astype(float) for drawn in draw(groups, seed, count))


@lru_cache(maxsize=16)
def _kept(groups: int, seed: int, count: int) -> tuple[UInt16[Array, "r G"], ...]:
    return tuple(_drawn(groups, seed, count))


def _drawn(groups: int, seed: int, count: int) -> Iterator[UInt16[Array, "r G"]]:
    """Count how often each resample draws each group."""
    generator, size = Seeds(seed).generator("resamples", groups), max(1, _AT_ONCE // groups)
    for start in range(0, count, size):
        rows = min(size, count - start)
        drawn = (
            generator.integers(groups, size=(rows, groups), dtype=np.int32)
            + groups * np.arange(rows)[:, None]
        )
        yield (
            np.bincount(drawn.ravel(), minlength=rows * groups)
            .reshape(rows, groups)
            .astype(np.uint16)
        )
