"""How much of the variance of token logits is explained by the word, seen in other texts, and by
the text around it.

Each share comes from the error of predicting a number by the mean of others in its group. The mean
of k numbers has an error of its own: k / (k + 1) of the mean squared error is the variance within
the groups. So an uninformative group explains nothing on average, whatever its size.
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

    NaN for a text that shares no word with another text, and for a text of one token.
    """

    whole: Float[Array, " G"]
    by_word: Float[Array, " G"]
    by_text: Float[Array, " G"]


def explained(
    values: Float[Array, "S L"],
    kind: Int[Array, " S"],
    text: Int[Array, " S"],
    weight: Float[Array, " S"],
) -> Explained:
    """Predict the numbers of each token from its word in other texts, from the rest of its text,
    and from other texts.

    Words that occur in no other text are skipped. ``kind`` and ``text`` are consecutive numbers
    from 0.
    """
    pair = np.unique(kind * (text.max(initial=0) + 1) + text, return_inverse=True)[1]
    all_of, of_kind, of_text, of_pair = (
        _sums(values, group) for group in (np.zeros_like(kind), kind, text, pair)
    )
    one = np.hstack([values, np.ones((len(values), 1))])
    elsewhere = _squares(values, of_kind - of_pair)
    rest = _squares(values, of_text - one)
    anything = _squares(values, all_of - of_text)
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


def _squares(values: Float[Array, "S L"], others: Float[Array, "S M"]) -> Float[Array, " S"]:
    """Squared error of predicting by the mean of the others, summed over the numbers; NaN without
    others.
    """
    count = np.round(others[:, -1:])
    mean = np.divide(others[:, :-1], count, out=np.full(values.shape, np.nan), where=count > 0)
    return np.asarray(((values - mean) ** 2).sum(axis=1) * (count / (count + 1))[:, 0])
