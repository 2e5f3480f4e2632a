"""States of all ranks on the axes along which they vary most; labels have no part in it."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

Array = np.ndarray


def principal(states: Float[Array, "N K D"], most: int = 64) -> Float[Array, "N K Q"]:
    """Take the mean of all states off, keep at most so many principal axes, and let the first have variance 1.

    One scale for all axes and ranks: which directions are large is left as it is. States that are all alike stay 0.
    """
    flat = states.reshape(-1, states.shape[-1]).astype(np.float64)
    flat = flat - flat.mean(0)
    values, axes = np.linalg.eigh(flat.T @ flat / len(flat))
    leading = axes[:, ::-1][:, : min(most, len(values))]
    size = np.sqrt(max(float(values[-1]), 0.0))
    return np.asarray(flat @ leading / (size if size > 0 else 1.0)).reshape(*states.shape[:2], -1)
