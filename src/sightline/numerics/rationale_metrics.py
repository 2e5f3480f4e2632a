"""How well word scores find a human rationale: average precision, and hits among the top words.

Texts are padded rows; ``mask`` is True on real words. NaN if no words or all words are marked, or
if all scores are equal or one is undefined: then there are no top words. `sightline.numerics.ties`
defines ties.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Bool, Float, Int

from sightline.numerics.rank_agreement import inclusion
from sightline.numerics.ties import constant, level_ties

Array = np.ndarray


def average_precision(
    scores: Float[Array, "B T"], marked: Bool[Array, "B T"], mask: Bool[Array, "B T"]
) -> Float[Array, " B"]:
    """Area under precision and recall: ``Σ_k (R_k − R_{k−1}) P_k`` over the thresholds, with tied
    words entering together.

    Equals scikit-learn's ``average_precision_score``. ERASER (DeYoung et al. 2020, §4.1) reports it
    as ``average_precision``; its ``auprc`` interpolates linearly between the same points (Davis &
    Goadrich 2006 explain why that is wrong).
    """
    order, entered = _ranking(scores, mask)
    found = np.take_along_axis(marked & mask, order, axis=1)
    precision = np.take_along_axis(found.cumsum(axis=1), entered - 1, axis=1) / entered
    return _where_asked((found * precision).sum(axis=1), scores, marked, mask)


def average_precision_by_chance(
    scores: Float[Array, "B T"], marked: Bool[Array, "B T"], mask: Bool[Array, "B T"]
) -> Float[Array, " B"]:
    """Mean of `average_precision` when the scores are permuted over the words; exact, without
    sampling.

    The word that enters as number n of T is one of M marked words with probability M/T; then 1 + (n
    − 1)(M − 1)/(T − 1) of the n are marked on average. The result is above M/T, and far above in a
    short text.
    """
    entered = _ranking(scores, mask)[1]
    words, marks = mask.sum(axis=1, keepdims=True), (marked & mask).sum(axis=1, keepdims=True)
    real = np.arange(mask.shape[1]) < words  # in ranking order, with padding last
    others = (entered - 1) * (marks - 1) / np.maximum(words - 1, 1)
    each = real * (1 + others) / entered * marks / np.maximum(words, 1)
    return _where_asked(each.sum(axis=1), scores, marked, mask)


def found_on_top(
    scores: Float[Array, "B T"], marked: Bool[Array, "B T"], mask: Bool[Array, "B T"]
) -> Float[Array, " B"]:
    """Share of the M marked words among the top M; precision, recall and F1 are then equal.

    Words that tie for the last places share them, which gives the mean over all ways to break the
    ties.
    """
    marks = (marked & mask).sum(axis=1)
    included = inclusion(scores, mask, np.maximum(marks, 1))
    return _where_asked((included * (marked & mask)).sum(axis=1), scores, marked, mask)


def found_by_chance(
    scores: Float[Array, "B T"], marked: Bool[Array, "B T"], mask: Bool[Array, "B T"]
) -> Float[Array, " B"]:
    """Share of marked words: the mean of `found_on_top` when the scores are permuted."""
    marks = (marked & mask).sum(axis=1)
    return _where_asked(marks * marks / np.maximum(mask.sum(axis=1), 1), scores, marked, mask)


def _ranking(
    scores: Float[Array, "B T"], mask: Bool[Array, "B T"]
) -> tuple[Int[Array, "B T"], Int[Array, "B T"]]:
    """Order the words, highest first and padding last, and count the words down to each one's last
    tie.
    """
    filled = np.where(mask, level_ties(np.nan_to_num(scores), mask), -np.inf)
    order = np.argsort(-filled, axis=1, kind="stable")
    falling = np.take_along_axis(filled, order, axis=1)
    last = np.concatenate(
        [falling[:, 1:] != falling[:, :-1], np.ones((len(mask), 1), dtype=bool)], axis=1
    )
    entered = np.where(last, np.arange(1, last.shape[1] + 1), last.shape[1])
    return order, np.minimum.accumulate(entered[:, ::-1], axis=1)[:, ::-1]


def _where_asked(
    summed: Float[Array, " B"],
    scores: Float[Array, "B T"],
    marked: Bool[Array, "B T"],
    mask: Bool[Array, "B T"],
) -> Float[Array, " B"]:
    """Divide by the number of marked words; NaN where the metric is undefined."""
    marks = (marked & mask).sum(axis=1)
    return np.asarray(
        np.divide(
            summed,
            marks,
            out=np.full(len(marks), np.nan),
            where=scorable_texts(scores, marked, mask),
        )
    )


def scorable_texts(
    scores: Float[Array, "B T"], marked: Bool[Array, "B T"], mask: Bool[Array, "B T"]
) -> Bool[Array, " B"]:
    """Tell which texts have some but not all words marked, and scores that are not constant."""
    marks = (marked & mask).sum(axis=1)
    alike = constant(np.nan_to_num(scores), mask) | (np.isnan(scores) & mask).any(axis=1)
    return np.asarray((marks > 0) & (marks < mask.sum(axis=1)) & ~alike)
