"""What tells the evidence of a token: its word as it stands in other texts, or the text that it
stands in.

How much of the variance of numbers each explains, by the error of guessing a number from others of
its group. A guess that is the mean of k numbers errs by what they err, too: of the mean square of
its errors, k / (k + 1) is the variance within the groups. So a group that says nothing explains
nothing, on average, whatever its size.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

Array = np.ndarray


@dataclass(frozen=True)
class Explained:
    """Weighted sums of squares, a row a text: all there is to explain, and what word and text
    explain of it.

    NaN in a text without a word that stands in another text, and in a text of one token.
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
    """Guess the numbers of each token: from its word in other texts, from the rest of its text, and
    from other texts.

    Tokens of words that stand in no other text are left out. ``kind`` and ``text`` count from 0,
    and none is missing.
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
    """Add up the numbers of each group, and count them (last), and hand this to each of its
    members.
    """
    rows = np.hstack([values, np.ones((len(values), 1))])
    return np.stack([np.bincount(group, column)[group] for column in rows.T], axis=1)


def _squares(values: Float[Array, "S L"], others: Float[Array, "S M"]) -> Float[Array, " S"]:
    """Square the error of guessing by the mean of others, all numbers together; NaN without any
    other.
    """
    count = np.round(others[:, -1:])
    mean = np.divide(others[:, :-1], count, out=np.full(values.shape, np.nan), where=count > 0)
    return np.asarray(((values - mean) ** 2).sum(axis=1) * (count / (count + 1))[:, 0])
