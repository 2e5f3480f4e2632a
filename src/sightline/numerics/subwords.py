"""Words and the pieces they are read in: what belongs to a word, from what belongs to its pieces,
and back.

``word`` says which word of its text a piece belongs to (−1: none), numbered from 0; W is the most
words of a text. A word of one piece is its piece: everything here then gives back what it was
given, to the last bit.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Int

from sightline.numerics.ties import settled

Array = np.ndarray


def several(word: Int[Array, "B T"]) -> bool:
    """Tell whether any word of any text is read in more than one piece."""
    return bool((counts(word) > 1).any())


def counts(word: Int[Array, "B T"]) -> Int[Array, "B W"]:
    """Count the pieces of each word; 0 where a text has no such word."""
    return np.asarray(summed(np.ones(word.shape), word), dtype=np.int64)


def summed(values: Float[Array, "*N B T"], word: Int[Array, "B T"]) -> Float[Array, "*N B W"]:
    """Add up the values of the pieces of each word, from the left; those of no word are left
    out.
    """
    return _gathered(np.add, values, word, 0.0)


def largest(values: Float[Array, "B T"], word: Int[Array, "B T"]) -> Float[Array, "B W"]:
    """Take the largest value among the pieces of each word; −∞ where a text has no such word."""
    return _gathered(np.maximum, values, word, -np.inf)


def spread(values: Float[Array, "*R B W"], word: Int[Array, "B T"]) -> Float[Array, "*R B T"]:
    """Give each piece the value of its word, and 0 to what belongs to none."""
    places = np.broadcast_to(np.maximum(word, 0), (*values.shape[:-1], word.shape[1]))
    return np.asarray(np.where(word >= 0, np.take_along_axis(values, places, axis=-1), 0.0))


def shares(weights: Float[Array, "*N B T"], word: Int[Array, "B T"]) -> Float[Array, "*N B T"]:
    """Say which part of its word's weight a piece has; pieces of a word without weight share
    alike.
    """
    whole, pieces = spread(summed(weights, word), word), spread(counts(word).astype(float), word)
    alike = np.broadcast_to(
        np.divide(1.0, pieces, out=np.zeros(word.shape), where=pieces > 0), weights.shape
    ).copy()
    return np.asarray(np.divide(weights, whole, out=alike, where=whole > 0) * (word >= 0))


def reweighed(
    words: Float[Array, "*R B W"], shares: Float[Array, "*N B T"], word: Int[Array, "B T"]
) -> Float[Array, "*R B T"]:
    """Give words new weights, parted among their pieces as before."""
    return np.asarray(spread(words, word) * shares)


def kept(gone: Bool[Array, "B W"], word: Int[Array, "B T"]) -> Bool[Array, "B T"]:
    """Say which pieces are left when whole words are deleted; what belongs to no word stays."""
    return np.asarray(spread(gone.astype(float), word) == 0)


def top(
    values: Float[Array, "B W"], mask: Bool[Array, "B W"], count: Int[Array, " B"]
) -> Bool[Array, "B W"]:
    """Mark the ``count`` words of the largest values; of tied ones the first."""
    order = np.argsort(-np.where(mask, settled(values, mask), -np.inf), axis=1, kind="stable")
    chosen = np.zeros(mask.shape, dtype=bool)
    np.put_along_axis(chosen, order, np.arange(mask.shape[1]) < count[:, None], axis=1)
    return np.asarray(chosen & mask)


def _gathered(how: np.ufunc, values: Array, word: Array, start: float) -> Array:
    out = np.full((*values.shape[:-1], int(word.max(initial=-1)) + 1), start)
    rows, columns = np.nonzero(word >= 0)
    here: Any = (..., rows, word[rows, columns])
    how.at(out, here, values[..., rows, columns])
    return out
