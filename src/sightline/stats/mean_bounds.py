"""The mean of numbers that are known only to lie between a low and a high side."""

from __future__ import annotations

import numpy as np
from jaxtyping import Int

from sightline.core.results import Bracket, Estimate
from sightline.stats import bootstrap

Array = np.ndarray


def bracketed_mean(sides: Bracket, seed: int, clusters: Int[Array, " N"] | None = None) -> Estimate:
    """Give the middle of a bracketed mean, from the lower end of its low side to the upper end of
    its high side.

    The interval covers the mean wherever it lies in the bracket, so its level is at least the level
    of either side. The middle is no better guess than any other point of the bracket; ``method``
    names both sides. Texts count where both sides are known, and both sides use the same resamples.
    Where the sides are equal, this is the plain mean.
    """
    known = ~np.isnan(sides.low) & ~np.isnan(sides.high)
    ends = (np.where(known, side, np.nan) for side in (sides.low, sides.high))
    low, high = (bootstrap.mean(side, seed, clusters=clusters) for side in ends)
    if low.n == 0 or low == high:
        return low
    method = f"bracket from {low.value:.3g} to {high.value:.3g}, its middle shown; {low.method}"
    return Estimate((low.value + high.value) / 2, low.low, high.high, low.n, method)
