"""Span agreement of the top words with a human rationale: IOU F1 as in ERASER.

A span is a maximal run of words. Texts are padded rows; ``mask`` is True on real words. NaN as in
`sightline.numerics.rationale_metrics`.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from jaxtyping import Bool, Float, Int

from sightline.numerics.rank_agreement import inclusion
from sightline.numerics.rationale_metrics import scorable_texts
from sightline.numerics.ties import level_ties

Array = np.ndarray


def spans_on_top(
    scores: Float[Array, "B T"],
    marked: Bool[Array, "B T"],
    mask: Bool[Array, "B T"],
    keys: Float[Array, "R B T"],
) -> Float[Array, " B"]:
    """IOU F1 of as many top words as are marked; if words tie for the last places, the mean over
    tie orders.

    Each of the ``keys`` gives one tie order. Without such a tie, one is enough.
    """
    count, marked = (marked & mask).sum(axis=1), marked & mask
    real = np.nan_to_num(scores)
    torn = (inclusion(real, mask, np.maximum(count, 1)) % 1 > 0).any(axis=1)
    filled = np.where(mask, level_ties(real, mask), -np.inf)
    orders = [np.lexsort((key, -filled), axis=1) for key in (keys if torn.any() else keys[:1])]
    found = np.where(torn, _mean(orders, count, marked), iou_f1(_first(orders[0], count), marked))
    return np.where(scorable_texts(scores, marked, mask), found, np.nan)


def spans_by_chance(
    marked: Bool[Array, "B T"], mask: Bool[Array, "B T"], keys: Float[Array, "R B T"]
) -> Float[Array, " B"]:
    """Estimate the mean of `spans_on_top` when the scores are permuted: as many words, in the order
    of each of the keys.

    There is no closed form, because the value of a matched span depends on the number of spans.
    """
    count, marked = (marked & mask).sum(axis=1), marked & mask
    orders = (np.argsort(np.where(mask, key, np.inf), axis=1) for key in keys)
    return _mean(orders, count, marked)


def iou_f1(chosen: Bool[Array, "B T"], marked: Bool[Array, "B T"]) -> Float[Array, " B"]:
    """``2 m / (P + Q)`` for P chosen and Q marked spans with m matching pairs; 0 without spans.

    DeYoung et al. (2020, §4.1) count a chosen span as found where its token IOU with a marked one
    is at least 0.5, and take F1 of the shares found. Maximal runs are at least one word apart, so
    no span matches two others: m of P and m of Q are found.
    """
    ours, theirs = _numbered(chosen), _numbered(marked)
    rows, columns = np.nonzero((ours > 0) & (theirs > 0))
    mine, other = ours[rows, columns], theirs[rows, columns]
    _, first, shared = np.unique(
        mine * (theirs.max() + 1) + other, return_index=True, return_counts=True
    )
    union = (
        np.bincount(ours.ravel())[mine[first]] + np.bincount(theirs.ravel())[other[first]] - shared
    )
    met = np.bincount(rows[first][2 * shared >= union], minlength=len(chosen))
    spans = _starts(chosen).sum(axis=1) + _starts(marked).sum(axis=1)
    return np.asarray(2 * met / np.maximum(spans, 1))


def _starts(words: Bool[Array, "B T"]) -> Bool[Array, "B T"]:
    before = np.concatenate([np.zeros((len(words), 1), dtype=bool), words[:, :-1]], axis=1)
    return np.asarray(words & ~before)


def _numbered(words: Bool[Array, "B T"]) -> Int[Array, "B T"]:
    """Number the runs of all texts consecutively from 1; 0 outside runs."""
    numbers = np.cumsum(_starts(words).ravel()).reshape(words.shape)
    return np.where(words, numbers, 0)


def _mean(
    orders: Iterable[Int[Array, "B T"]], count: Int[Array, " B"], marked: Bool[Array, "B T"]
) -> Array:
    """Average IOU F1 of the first words of each order, summing along the last axis so that no other
    text can change the result.
    """
    found = [iou_f1(_first(order, count), marked) for order in orders]
    return np.asarray(np.stack(found, axis=-1).mean(axis=-1))


def _first(order: Int[Array, "B T"], count: Int[Array, " B"]) -> Bool[Array, "B T"]:
    """Choose the first words of an order."""
    out = np.zeros(order.shape, dtype=bool)
    np.put_along_axis(out, order, np.arange(order.shape[1]) < count[:, None], axis=1)
    return out
