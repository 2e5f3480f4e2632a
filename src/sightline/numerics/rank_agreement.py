"""Agreement of two scorings of the same words: Kendall's τ-b, and the share of importance that top
words capture.

Texts are rows, padded; ``mask`` is True on real words. Undefined results are NaN, never a guess.
What is a tie: `sightline.numerics.ties`.
"""

from __future__ import annotations

import math

import numpy as np
from jaxtyping import Bool, Float, Int
from scipy.special import ndtr

from sightline.numerics.ties import NOTHING, settled

Array = np.ndarray
_PAIRS_AT_ONCE = 2**18
"""Bound on the pairs of words whose signs are held at a time, in arrays of 2 MB: what a processor
has near it."""


def kendall_tau_b(
    x: Float[Array, "B T"], y: Float[Array, "B T"], mask: Bool[Array, "B T"]
) -> Float[Array, " B"]:
    """Kendall's τ-b of each row: concordant minus discordant pairs, over √(pairs untied in x ·
    pairs untied in y).

    Kendall (1945); what Jain & Wallace (2019, §4.1) and Meister et al. (2021, §5) print. NaN where
    a row has fewer than two real words or one side is constant.
    """
    return kendall_test(x, y, mask)[0]


def kendall_test(
    x: Float[Array, "B T"], y: Float[Array, "B T"], mask: Bool[Array, "B T"]
) -> tuple[Float[Array, " B"], Float[Array, " B"]]:
    """Kendall's τ-b of each row, and the two-sided p-value of what all orders of the words would
    give by chance.

    ``z = (|S| − 1)₊ / √v`` is taken as normal, S being concordant minus discordant pairs and v its
    variance over all permutations, ties and all (Kendall 1970, §4; scipy's
    ``kendalltau(method="asymptotic")`` takes no 1 off, and calls 9 % of random orders of four words
    significant). By chance p ≤ .05 on at most 5 % of texts, on fewer of short ones.
    """
    x, y = settled(x, mask), settled(y, mask)
    untied_x, untied_y, agreement = _pairs(x, y, mask)
    untied = np.sqrt(untied_x * untied_y)
    tau = np.divide(agreement, untied, out=np.full(len(x), np.nan), where=untied > 0)
    deviation = np.sqrt(_variance(x, y, mask))
    off = np.maximum(np.abs(agreement / 2) - 1, 0)
    z = np.divide(
        off, deviation, out=np.full(len(tau), np.nan), where=~np.isnan(tau) & (deviation > 0)
    )
    return tau, 2 * ndtr(-z)


def _variance(
    x: Float[Array, "B T"], y: Float[Array, "B T"], mask: Bool[Array, "B T"]
) -> Float[Array, " B"]:
    """Variance of concordant minus discordant pairs over all permutations of one side (Kendall
    1970, equation 4.3).
    """
    n = mask.sum(1).astype(float)
    pairs, tied = n * (n - 1), [_tied(each, mask) for each in (x, y)]
    lost = [((t - 1) * (2 * t + 5) * real).sum(1) for t, real in tied]
    twos = [((t - 1) * real).sum(1) for t, real in tied]
    threes = [((t - 1) * (t - 2) * real).sum(1) for t, real in tied]
    of_ties = math.prod(twos) / np.maximum(2 * pairs, 1) + math.prod(threes) / np.maximum(
        9 * pairs * (n - 2), 1
    )
    return np.asarray(
        np.maximum((pairs * (2 * n + 5) - sum(lost)) / 18 + of_ties, 0)
    )  # all tied, it may round below


def _tied(
    values: Float[Array, "B T"], mask: Bool[Array, "B T"]
) -> tuple[Float[Array, "B T"], Bool[Array, "B T"]]:
    """Say of each word, lowest first, with how many it is tied, itself among them; and which of
    these are real.
    """
    rising = np.sort(np.where(mask, values, np.inf), axis=1)
    places = np.broadcast_to(np.arange(rising.shape[1]), rising.shape)
    edge = np.ones((len(rising), 1), dtype=bool)
    new = np.concatenate([edge, rising[:, 1:] != rising[:, :-1], edge], axis=1)
    first = np.maximum.accumulate(np.where(new[:, :-1], places, 0), axis=1)
    last = np.minimum.accumulate(np.where(new[:, 1:], places, rising.shape[1])[:, ::-1], axis=1)[
        :, ::-1
    ]
    return (last - first + 1).astype(float), np.isfinite(rising)


def _pairs(
    x: Float[Array, "B T"], y: Float[Array, "B T"], mask: Bool[Array, "B T"]
) -> Float[Array, "3 B"]:
    """Count the pairs untied in x, those untied in y, and concordant minus discordant ones; each
    pair from both ends.

    Some words after the other against all of their text: whole numbers, so their sums have no
    order.
    """
    found, block = np.zeros((3, len(x))), max(1, _PAIRS_AT_ONCE // max(1, x.size))
    for start in range(0, x.shape[1], block):
        some = np.s_[:, start : start + block, None]
        both = mask[some] & mask[:, None, :]
        sign_x, sign_y = (
            np.sign(v[some] - v[:, None, :], where=both, out=np.zeros(both.shape)) for v in (x, y)
        )
        found += [
            np.abs(sign_x).sum((1, 2)),
            np.abs(sign_y).sum((1, 2)),
            (sign_x * sign_y).sum((1, 2)),
        ]
    return found


def top_count(words: Int[Array, "*B"], share: float = 0.1) -> Int[Array, "*B"]:
    """How many words count as the top ones: a share of the words, rounded down, at least one."""
    return np.asarray(np.maximum(1, np.floor(words * share + 1e-9)), dtype=np.int64)


def inclusion(
    scores: Float[Array, "B T"], mask: Bool[Array, "B T"], count: Int[Array, " B"]
) -> Float[Array, "B T"]:
    """Chance of each word to be among the top ``count`` when ties are broken at random; sums to
    ``count``.

    Words above the count-th largest score are in for certain, words below it are out, and the words
    tied with it share the places that are left. So the order of the words in the text cannot
    decide.
    """
    filled = np.where(mask, settled(scores, mask), -np.inf)
    threshold = -np.sort(-filled, axis=1)[
        np.arange(len(count)), np.minimum(count, scores.shape[1]) - 1
    ][:, None]
    above, tied = filled > threshold, (filled == threshold) & mask
    left = count[:, None] - above.sum(1, keepdims=True)
    return np.asarray(above + tied * left / np.maximum(tied.sum(1, keepdims=True), 1))


def captured(
    included: Float[Array, "*#R B T"],
    reference: Float[Array, "B T"],
    mask: Bool[Array, "B T"],
    count: Int[Array, " B"],
) -> Float[Array, "*R B"]:
    """Share of the reference that the included words hold, over the most that ``count`` words can
    hold.

    ``included`` comes from `inclusion`. NaN where the reference is zero on every word (nothing to
    capture).
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
