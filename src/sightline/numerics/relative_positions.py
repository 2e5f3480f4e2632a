"""Weights by where in a text they lie: texts of different lengths laid over each other, from first
word to last.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

Array = np.ndarray
CELLS = 2520
"""Into how many cells the way from the first word of a text to its last is cut; all lengths up to
10 divide it."""


def recut(values: Float[Array, " W"], parts: int) -> Float[Array, " P"]:
    """Cut a line of pieces of equal width anew, into so many parts; what a piece holds lies evenly
    in it.

    So the weights of words become those of any number of cells, and those of cells become those of
    any words.

    >>> recut(np.array([0.2, 0.8]), 4).tolist(), recut(np.array([0.1, 0.1, 0.4, 0.4]), 2).tolist()
    ([0.1, 0.1, 0.4, 0.4], [0.2, 0.8])
    """
    ends = np.linspace(0, 1, len(values) + 1)
    summed = np.concatenate([[0.0], np.cumsum(values)])
    return np.diff(np.interp(np.linspace(0, 1, parts + 1), ends, summed))
