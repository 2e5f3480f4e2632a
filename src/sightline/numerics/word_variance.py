"""How much of the variance of token logits is explained by the word, seen in other texts, and by
the text around it. Texts of one cluster (copies, or texts of one group) are no other texts.

Each share comes from the error of predicting a number by the mean of others in its group. The mean
of k numbers has an error of its own: k / (k + 1) of the mean squared error is the variance within
the groups. So an uninformative group explains nothing on average, whatever its size. Of a word that
several texts of one cluster have, k numbers tell less: half the mean squared distance from each of
them is the same variance, however many are copies of each other.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

Array = np.ndarray


@dataclass(frozen=True)
class Explained:
    """Weighted sums of squares, one row for each text: the total, and the parts explained by word
    and by text.

    NaN for a text that shares no word with a text of another cluster, and for a text of one token.
    """

    whole: Float[Array, " G"]
    by_word: Float[Array, " G"]
    by_text: Float[Array, " G"]


def explained(
    values: Float[Array, "S L"],
    kind: Int[Array, " S"],
    text: Int[Array, " S"],
    weight: Float[Array, " S"],
    cluster: Int[Array, " S"],
) -> Explained:
    """Predict the numbers of each token from its word in the texts of other clusters, from the rest
    of its text, and from all texts of other clusters.

    Words that occur in no other cluster are skipped. ``kind``, ``text`` and ``cluster`` are
    consecutive numbers from 0.
    """
    pair = np.unique(kind * (cluster.max(initial=0) + 1) + cluster, return_inverse=True)[1]
    all_of, of_kind, of_text, of_cluster, of_pair = (
        _sums(values, group) for group in (np.zeros_like(kind), kind, text, cluster, pair)
    )
    one = np.hstack([values, np.ones((len(values), 1))])
    elsewhere = _squares(values, of_kind - of_pair)
    if (repeated := _distinct(kind, text) > _distinct(kind, cluster)).any():
        squared = (values**2).sum(axis=1, keepdims=True)
        squares = _sums(squared, kind) - _sums(squared, pair)
        elsewhere = np.where(
            repeated, _distances(values, of_kind - of_pair, squares[:, :1]), elsewhere
        )
    rest = _squares(values, of_text - one)
    anything = _squares(values, all_of - of_cluster)
    known = ~np.isnan(elsewhere + rest)
    whole, within_word, within_text = (
        np.bincount(text, np.where(known, weight * each, 0.0), minlength=text.max(initial=-1) + 1)
        for each in (anything, elsewhere, rest)
    )
    nothing = np.bincount(text, known) == 0
    parts = (whole, whole - within_word, whole - within_text)
    return Explained(*(np.where(nothing, np.nan, part) for part in parts))


def _sums(values: Float[Array, "S L"], group: Int[Array, " S"]) -> Float[Array, "S M"]:
    """Give each member the sums of its group, with the count as the last column."""
    rows = np.hstack([values, np.ones((len(values), 1))])
    return np.stack([np.bincount(group, column)[group] for column in rows.T], axis=1)


def _distinct(kind: Int[Array, " S"], group: Int[Array, " S"]) -> Int[Array, " S"]:
    """Count the groups that have each token's word."""
    width = group.max(initial=0) + 1
    return np.asarray(np.bincount(np.unique(kind * width + group) // width)[kind])


def _distances(
    values: Float[Array, "S L"], others: Float[Array, "S M"], squares: Float[Array, "S 1"]
) -> Float[Array, " S"]:
    """Half the mean squared distance from the others, given the sums of their squares; NaN without
    others.
    """
    count = np.round(others[:, -1:])
    sums = np.hstack([others[:, :-1], squares])
    found = np.divide(sums, count, out=np.full(sums.shape, np.nan), where=count > 0)
    mean, square = found[:, :-1], found[:, -1]
    spread = np.maximum(square - (mean**2).sum(axis=1), 0.0)
    return np.asarray((((values - mean) ** 2).sum(axis=1) + spread) / 2)


def _squares(values: Float[Array, "S L"], others: Float[Array, "S M"]) -> Float[Array, " S"]:
    """Squared error of predicting by the mean of the others, summed over the numbers; NaN without
    others.
    """
    count = np.round(others[:, -1:])
    mean = np.divide(others[:, :-1], count, out=np.full(values.shape, np.nan), where=count > 0)
    return np.asarray(((values - mean) ** 2).sum(axis=1) * (count / (count + 1))[:, 0])
