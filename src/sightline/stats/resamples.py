"""Bootstrap resamples of texts or clusters, as weights: how often each is drawn."""

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
"""Number at the usual level; a higher level takes more, to keep as many beyond each end."""
_AT_ONCE = 2**17
"""Weights in one chunk, so that they stay in the processor's cache."""
_TABLES = 16
"""Number of tables of weights that are cached."""
_MOST_KEPT = 2**26
"""The weights of the largest such table; two bytes a weight, so that all take 2 GiB at most."""


def how_many(level: float) -> int:
    """Number of resamples for an interval of this level."""
    return round(RESAMPLES * max(1.0, (1 - LEVEL) / (1 - level)))


def sums(columns: Float[Array, "G S"], seed: int, level: float = LEVEL) -> Float[Array, "R S"]:
    """Sum each column over every resample: as many groups as there are, drawn with replacement."""
    return np.concatenate([drawn @ columns for drawn in weights(len(columns), seed, level)])


def weights(groups: int, seed: int, level: float = LEVEL) -> Iterator[Float[Array, "r G"]]:
    """Give all resamples in chunks: how often each resample draws each group.

    They depend on the number of groups, the seed and the level only, and are cached. An audit makes
    hundreds of intervals over the same texts, and drawing takes most of the time. So equal numbers
    also get equal intervals. Tables that are too large to cache are drawn again each time.
    """
    count = how_many(level)
    draw = _kept if groups * count <= _MOST_KEPT else _drawn
    return (drawn.astype(float) for drawn in draw(groups, seed, count))


@lru_cache(maxsize=_TABLES)
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
