"""Agreement of two scorings of the same words: Kendall's τ-b, and the share of importance that top words capture.

Texts are rows, padded; ``mask`` is True on real words. Undefined results are NaN, never a guess. What is a tie:
`sightline.maths.ties`.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Bool, Float, Int

from sightline.maths.ties import NOTHING, settled

Array = np.ndarray
_PAIRS_AT_ONCE = 2**24
"""Bound on the entries of the sign matrices held at a time (about 50 MB)."""


def kendall_tau_b(x: Float[Array, "B T"], y: Float[Array, "B T"], mask: Bool[Array, "B T"]) -> Float[Array, " B"]:
    """Kendall's τ-b of each row: concordant minus discordant pairs, over √(pairs untied in x · pairs untied in y).

    Kendall (1945); what Jain & Wallace (2019, §4.1) and Meister et al. (2021, §5) print. NaN where a row has
    fewer than two real words or one side is constant.
    """
    x, y = settled(x, mask), settled(y, mask)
    rows = max(1, _PAIRS_AT_ONCE // max(1, x.shape[1] ** 2))
    parts = [_tau_rows(x[i : i + rows], y[i : i + rows], mask[i : i + rows]) for i in range(0, len(x), rows)]
    return np.concatenate(parts) if parts else np.empty(0)


def _tau_rows(x: Array, y: Array, mask: Array) -> Array:
    both = mask[:, :, None] & mask[:, None, :]
    sign_x = np.sign(x[:, :, None] - x[:, None, :], where=both, out=np.zeros(both.shape))
    sign_y = np.sign(y[:, :, None] - y[:, None, :], where=both, out=np.zeros(both.shape))
    untied = np.sqrt(np.abs(sign_x).sum((1, 2)) * np.abs(sign_y).sum((1, 2)))
    agreement = (sign_x * sign_y).sum((1, 2))
    return np.asarray(np.divide(agreement, untied, out=np.full(len(x), np.nan), where=untied > 0))


def top_count(words: Int[Array, "*B"], share: float = 0.1) -> Int[Array, "*B"]:
    """How many words count as the top ones: a share of the words, rounded down, at least one."""
    return np.asarray(np.maximum(1, np.floor(words * share + 1e-9)), dtype=np.int64)


def inclusion(scores: Float[Array, "B T"], mask: Bool[Array, "B T"], count: Int[Array, " B"]) -> Float[Array, "B T"]:
    """Chance of each word to be among the top ``count`` when ties are broken at random; sums to ``count``.

    Words above the count-th largest score are in for certain, words below it are out, and the words tied with it
    share the places that are left. So the order of the words in the text cannot decide.
    """
    filled = np.where(mask, settled(scores, mask), -np.inf)
    threshold = -np.sort(-filled, axis=1)[np.arange(len(count)), np.minimum(count, scores.shape[1]) - 1][:, None]
    above, tied = filled > threshold, (filled == threshold) & mask
    left = count[:, None] - above.sum(1, keepdims=True)
    return np.asarray(above + tied * left / np.maximum(tied.sum(1, keepdims=True), 1))


def captured(
    included: Float[Array, "*#R B T"], reference: Float[Array, "B T"], mask: Bool[Array, "B T"], count: Int[Array, " B"]
) -> Float[Array, "*R B"]:
    """Share of the reference that the included words hold, over the most that ``count`` words can hold.

    ``included`` comes from `inclusion`. NaN where the reference is zero on every word (nothing to capture).
    """
    real = np.where(mask, reference, 0.0)
    some = real.max(axis=1) > NOTHING
    most = np.where(np.arange(real.shape[1]) < count[:, None], -np.sort(-real, axis=1), 0.0).sum(1)
    held = (included * real).sum(-1)
    out = np.full(np.broadcast_shapes(held.shape, most.shape), np.nan)
    return np.asarray(np.divide(held, most, out=out, where=some))


def captured_by_chance(
    reference: Float[Array, "B T"], mask: Bool[Array, "B T"], count: Int[Array, " B"]
) -> Float[Array, " B"]:
    """What `captured` is on average when the scores are permuted over the words: exact, no drawing.

    Under a random permutation every word is among the top ``m`` of ``T`` with chance ``m/T``.
    """
    chance = mask * (count / np.maximum(mask.sum(1), 1))[:, None]
    return captured(chance, reference, mask, count)
