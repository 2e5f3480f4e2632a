"""Random attention with the entropy of the real one, as a baseline."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from sightline.numerics.divergences import entropy, softmax

_STEPS = 60
_LARGEST = 2.0**20


def with_entropy(
    target: float, words: int, draws: int, generator: np.random.Generator
) -> Float[np.ndarray, "R T"]:
    """Draw distributions over ``words`` words whose entropy is ``target`` (nats).

    Each is ``softmax(s · g)`` with ``g`` standard normal; entropy falls as ``s`` grows, from log T
    at 0 to 0, so the scale is found by bisection. A target outside this range gives the nearest
    possible entropy.
    """
    normal = generator.standard_normal((draws, words))
    low, high = np.zeros((draws, 1)), np.full((draws, 1), _LARGEST)
    for _ in range(_STEPS):
        # Halve on a logarithmic scale: peaked and flat attention differ by orders of magnitude in
        # s.
        middle = np.expm1((np.log1p(low) + np.log1p(high)) / 2)
        flatter = entropy(softmax(middle * normal))[:, None] > target
        low, high = np.where(flatter, middle, low), np.where(flatter, high, middle)
    return np.asarray(softmax((low + high) / 2 * normal))
