"""Weights by relative position: texts of different lengths aligned from first word to last."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

Array = np.ndarray
CELLS = 2520
"""Number of cells from the first word of a text to its last; all lengths up to 10 divide it."""


def recut(values: Float[Array, " W"], parts: int) -> Float[Array, " P"]:
    """Redistribute values on equally wide pieces onto ``parts`` equally wide parts, spreading each
    piece evenly.

    This turns word weights into cell weights, and back.

    >>> recut(np.array([0.2, 0.8]), 4).round(12).tolist(), recut(np.ones(4), 2).tolist()
    ([0.1, 0.1, 0.4, 0.4], [2.0, 2.0])
    """
    ends = np.linspace(0, 1, len(values) + 1)
    summed = np.concatenate([[0.0], np.cumsum(values)])
    return np.diff(np.interp(np.linspace(0, 1, parts + 1), ends, summed))
