"""States on the axes along which those of all ranks vary most; labels have no part in it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

Array = np.ndarray


@dataclass(frozen=True)
class Axes:
    """Principal axes of some states, on which others can be put, too.

    The mean of all is taken off, and the first axis gets variance 1. One scale for all axes: which
    directions are large is left as it is. States that are all alike are 0.
    """

    middle: Float[Array, " D"]
    leading: Float[Array, "D Q"]

    @classmethod
    def of(cls, states: Float[Array, "*N D"], most: int = 64) -> Axes:
        """Find at most so many axes."""
        flat = states.reshape(-1, states.shape[-1]).astype(np.float64)
        middle = flat.mean(0)
        flat = flat - middle
        values, axes = np.linalg.eigh(flat.T @ flat / len(flat))
        size = np.sqrt(max(float(values[-1]), 0.0))
        return cls(middle, axes[:, ::-1][:, : min(most, len(values))] / (size if size > 0 else 1.0))

    def __call__(self, states: Float[Array, "*N D"]) -> Float[Array, "*N Q"]:
        """Put states on the axes."""
        return np.asarray((states - self.middle) @ self.leading)


def principal(states: Float[Array, "N K D"], most: int = 64) -> Float[Array, "N K Q"]:
    """Put the states of all ranks on their own axes."""
    return Axes.of(states, most)(states)
