"""Convert between words and their tokens.

``word`` gives the index of the word that each token belongs to (−1: none); W is the largest number
of words in a text. If every word is one token, every function returns its input bit for bit.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Int

Array = np.ndarray


def has_split_words(word: Int[Array, "B T"]) -> bool:
    """Tell whether any word has more than one token."""
    return bool((counts(word) > 1).any())


def counts(word: Int[Array, "B T"]) -> Int[Array, "B W"]:
    """Count the tokens of each word; 0 if the text has no such word."""
    return np.asarray(summed(np.ones(word.shape), word), dtype=np.int64)


def summed(values: Float[Array, "*N B T"], word: Int[Array, "B T"]) -> Float[Array, "*N B W"]:
    """Sum the values of the tokens of each word, from the left; tokens of no word are skipped."""
    totals = np.zeros((*values.shape[:-1], int(word.max(initial=-1)) + 1))
    rows, columns = np.nonzero(word >= 0)
    places: Any = (..., rows, word[rows, columns])
    np.add.at(totals, places, values[..., rows, columns])
    return totals


def spread(values: Float[Array, "*R B W"], word: Int[Array, "B T"]) -> Float[Array, "*R B T"]:
    """Give each token the value of its word, and 0 to tokens of no word."""
    places = np.broadcast_to(np.maximum(word, 0), (*values.shape[:-1], word.shape[1]))
    return np.asarray(np.where(word >= 0, np.take_along_axis(values, places, axis=-1), 0.0))


def shares(weights: Float[Array, "*N B T"], word: Int[Array, "B T"]) -> Float[Array, "*N B T"]:
    """Give the share of each token in its word's weight; tokens of a word without weight get equal
    shares.
    """
    whole, pieces = spread(summed(weights, word), word), spread(counts(word).astype(float), word)
    alike = np.broadcast_to(
        np.divide(1.0, pieces, out=np.zeros(word.shape), where=pieces > 0), weights.shape
    ).copy()
    return np.asarray(np.divide(weights, whole, out=alike, where=whole > 0) * (word >= 0))


def reweighed(
    words: Float[Array, "*R B W"], shares: Float[Array, "*N B T"], word: Int[Array, "B T"]
) -> Float[Array, "*R B T"]:
    """Give words new weights, divided among their tokens as before."""
    return np.asarray(spread(words, word) * shares)


def kept_tokens(gone: Bool[Array, "B W"], word: Int[Array, "B T"]) -> Bool[Array, "B T"]:
    """Tell which tokens remain when whole words are deleted; tokens of no word stay."""
    return np.asarray(spread(gone.astype(float), word) == 0)
