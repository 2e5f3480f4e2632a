"""Weights by where in a text they lie: texts of different lengths laid over each other, from first word to last."""

from __future__ import annotations

import numpy as np
from jaxtyping import Bool, Float

Array = np.ndarray
CELLS = 360
"""Into how many cells the way from the first word of a text to its last is cut; all lengths up to 6 divide it."""


def by_position(weights: Float[Array, "B W"], mask: Bool[Array, "B W"]) -> Float[Array, "B G"]:
    """Spread the weights of each text over `CELLS` of equal width, a word over its share of the way."""
    edges = np.linspace(0, 1, CELLS + 1)
    return np.stack([np.diff(np.interp(edges, *_summed(row[real]))) for row, real in zip(weights, mask, strict=True)])


def at_positions(curve: Float[Array, " G"], mask: Bool[Array, "B W"]) -> Float[Array, "B W"]:
    """Give each word what the curve holds over the word's share of the way: sums to one as the curve does."""
    out = np.zeros(mask.shape)
    for row, real in enumerate(mask):
        edges = np.linspace(0, 1, int(real.sum()) + 1)
        out[row, real] = np.diff(np.interp(edges, *_summed(curve)))
    return out


def _summed(weights: Float[Array, " S"]) -> tuple[Float[Array, " E"], Float[Array, " E"]]:
    """Give the sum of all weights up to each edge, and where the edge is between 0 and 1."""
    return np.linspace(0, 1, len(weights) + 1), np.concatenate([[0.0], np.cumsum(weights)])
