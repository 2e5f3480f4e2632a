"""A mean that is known only to lie between two sides."""

from __future__ import annotations

import numpy as np
from jaxtyping import Int

from sightline.core.results import Bracket, Estimate
from sightline.stats import bootstrap
from sightline.stats.intervals import LEVEL

Array = np.ndarray


def between(
    sides: Bracket, seed: int, clusters: Int[Array, " N"] | None = None, level: float = LEVEL
) -> Estimate:
    """Give the middle of a bracketed mean, from the lower end of its low side to the upper end of
    its high side.

    The interval holds the mean wherever it lies between the sides, so it is at least as sure as
    that of either. The middle is no better guess than another point between them; ``method`` says
    where the sides are. Texts count where both sides are known, and both sides are resampled alike:
    where they are equal, this is the plain mean.
    """
    known = ~np.isnan(sides.low) & ~np.isnan(sides.high)
    ends = (np.where(known, side, np.nan) for side in (sides.low, sides.high))
    low, high = (bootstrap.mean(side, seed, clusters=clusters, level=level) for side in ends)
    if low.n == 0 or low == high:
        return low
    method = f"bracket from {low.value:.3g} to {high.value:.3g}, its middle shown; {low.method}"
    return Estimate((low.value + high.value) / 2, low.low, high.high, low.n, method)
