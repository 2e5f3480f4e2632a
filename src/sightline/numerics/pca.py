"""Principal axes of the states of all ranks; labels are not used."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

Array = np.ndarray


@dataclass(frozen=True)
class Axes:
    """Principal axes fitted on some states, which other states can be projected on.

    States are centred, and one scale for all axes gives the first axis variance 1, so relative
    sizes are kept. Identical states become 0.
    """

    middle: Float[Array, " D"]
    leading: Float[Array, "D Q"]

    @classmethod
    def of(cls, states: Float[Array, "*N D"], most: int = 64) -> Axes:
        """Fit at most ``most`` axes."""
        flat = states.reshape(-1, states.shape[-1]).astype(np.float64)
        middle = flat.mean(0)
        flat = flat - middle
        values, axes = np.linalg.eigh(flat.T @ flat / len(flat))
        size = np.sqrt(max(float(values[-1]), 0.0))
        return cls(middle, axes[:, ::-1][:, : min(most, len(values))] / (size if size > 0 else 1.0))

    def __call__(self, states: Float[Array, "*N D"]) -> Float[Array, "*N Q"]:
        """Project states on the axes."""
        return np.asarray((states - self.middle) @ self.leading)
