"""Exact results over all attention distributions, for a decoder that is affine in the pooled
states.

Because attention sums to one, the logits are a convex mixture of token logits, ``s(α) = Σ α_t z_t``
(Tutek & Šnajder 2020, eq. 9). So the effect of any attention, or any permutation of it, follows
from ``z`` alone. Token logits are ``B T L``; texts are padded and ``mask`` is True on real tokens.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from jaxtyping import Bool, Float, Int
from scipy.special import logsumexp

from sightline.numerics.divergences import probabilities, total_variation

Array = np.ndarray
Ends = tuple[Float[Array, "*B C"], Float[Array, "*B C"]]


def classes_apart(z: Float[Array, "*B L"]) -> Float[Array, "*B C"]:
    """Write one logit as two (0 and z), so that one formula serves both links."""
    return np.concatenate([np.zeros_like(z), z], axis=-1) if z.shape[-1] == 1 else z


def decision(logits: Float[Array, "*B L"]) -> Int[Array, "*B"]:
    """Give the predicted class by the models' rule: class 1 above a logit of 0, else the first of
    the largest logits.
    """
    return np.asarray(classes_apart(logits).argmax(axis=-1))


def attention_proof(z: Float[Array, "B T L"], mask: Bool[Array, "B T"]) -> Bool[Array, " B"]:
    """Tell whether no attention distribution can change the prediction.

    The distributions under which a class wins form a convex set. So they are the whole simplex iff
    they include its corners: iff every single token, attended to alone, predicts the same class.
    """
    alone = decision(z)
    first = np.take_along_axis(alone, mask.argmax(1)[:, None], axis=1)
    return np.asarray(((alone == first) | ~mask).all(axis=1))


def reach(
    z: Float[Array, "B T L"], mask: Bool[Array, "B T"], logits: Float[Array, "B L"]
) -> tuple[Float[Array, " B"], Float[Array, " B"]]:
    """Bound the largest total variation from the model's output under any attention distribution.

    With one logit the extremes are single tokens, and both bounds are exact. With more classes, the
    lower bound is the best single token, and the upper bound comes from `_outer_bound` for each
    class.
    """
    prediction = probabilities(logits)
    corners = total_variation(probabilities(z), prediction[:, None, :])
    low = np.where(mask, corners, 0.0).max(axis=1)
    if z.shape[-1] == 1:
        return low, low
    real = mask[:, :, None]
    ends = (
        (np.where(real, gaps, np.inf).min(axis=1), np.where(real, gaps, -np.inf).max(axis=1))
        for gaps in _gaps(z)
    )
    return low, np.maximum(low, _outer_bound(ends, prediction))


def permuted_extremes(
    gaps: Float[Array, "B T C"], attention: Float[Array, "R B T"], mask: Bool[Array, "B T"]
) -> tuple[Float[Array, "R B C"], Float[Array, "R B C"]]:
    """Find the least and largest gap ``s_c − s_k`` of a class over all T! permutations of each
    text's weights.

    Rearrangement inequality: a sum of products is largest if both factors are sorted in the same
    order, and least if sorted in opposite orders. Masked tokens are excluded: their weight is zero
    and their gap is sorted to the end.
    """
    real = mask[:, :, None]
    weights = -np.sort(-np.where(mask, attention, 0.0), axis=2)
    rising = np.nan_to_num(np.sort(np.where(real, gaps, np.inf), axis=1), posinf=0.0)
    falling = -np.nan_to_num(np.sort(np.where(real, -gaps, np.inf), axis=1), posinf=0.0)
    # One attention at a time: all together would need a product for each.
    least, most = (
        np.stack([(one[:, :, None] * way).sum(axis=1) for one in weights])
        for way in (rising, falling)
    )
    return least, most


def permuted_reach(
    z: Float[Array, "B T L"],
    attention: Float[Array, "R B T"],
    mask: Bool[Array, "B T"],
    logits: Float[Array, "R B L"],
) -> Float[Array, "R B"]:
    """Bound the largest total variation under any permutation of the weights; exact for one logit.

    Several attentions, each with its own logits, share one sorting of the gaps.
    """
    ends = (permuted_extremes(gaps, attention, mask) for gaps in _gaps(z))
    return _outer_bound(ends, probabilities(logits))


def permuted_moments(
    z: Float[Array, "B T L"], attention: Float[Array, "B T"], mask: Bool[Array, "B T"]
) -> tuple[Float[Array, "B L"], Float[Array, "B L"]]:
    """Mean and variance of each logit when the weights are permuted at random.

    ``E = mean(z)`` and ``Var = Σ(α_t − 1/T)² · Σ(z_t − z̄)² / (T − 1)`` (Hoeffding 1951, for one
    text); variance 0 for a single token.
    """
    words = np.maximum(mask.sum(1), 1)[:, None]
    mean = (z * mask[:, :, None]).sum(axis=1) / words
    spread_z = (np.where(mask[:, :, None], z - mean[:, None, :], 0.0) ** 2).sum(axis=1)
    spread_a = (np.where(mask, attention - 1 / words, 0.0) ** 2).sum(axis=1, keepdims=True)
    return mean, spread_a * spread_z / np.maximum(words - 1, 1)


def gaps_of(z: Float[Array, "B T L"], c: int) -> Float[Array, "B T C"]:
    """Give the gaps ``z_c − z_k`` of one class to all classes."""
    apart = classes_apart(z)
    return np.asarray(apart[..., c, None] - apart)


def rival_gaps(z: Float[Array, "B *T L"], decided: Int[Array, " B"]) -> Float[Array, "B *T K"]:
    """Give the gaps ``z_c − z_k`` of each text's own class to every other, in the order of the
    classes.
    """
    apart = np.moveaxis(classes_apart(z), -1, 1)
    own = apart[np.arange(len(z)), decided][:, None]
    others = np.arange(apart.shape[1]) != decided[:, None]
    gaps = (own - apart)[others].reshape(len(z), apart.shape[1] - 1, *apart.shape[2:])
    return np.asarray(np.moveaxis(gaps, 1, -1))


def _gaps(z: Float[Array, "B T L"]) -> Iterator[Float[Array, "B T C"]]:
    """Give the gaps class by class: all at once would take C² numbers for each token."""
    return (gaps_of(z, c) for c in range(classes_apart(z).shape[-1]))


def _outer_bound(ends: Iterable[Ends], prediction: Float[Array, "*B C"]) -> Float[Array, "*B"]:
    """Bound the total variation from bounds on the gaps: ``p_c = 1/Σ_k exp(−gap_ck)`` is monotone
    in each gap.

    ``ends`` are the least and the largest gaps of each class. The gain of some classes equals the
    loss of the others, so both sums are bounds. For two classes the bound is exact, because the
    only gap reaches its ends.
    """
    highest, lowest = np.empty_like(prediction), np.empty_like(prediction)
    for c, (least, most) in enumerate(ends):
        highest[..., c], lowest[..., c] = (
            np.exp(-logsumexp(-gaps, axis=-1)) for gaps in (most, least)
        )
    gain = np.maximum(highest - prediction, 0.0)
    loss = np.maximum(prediction - lowest, 0.0)
    if prediction.shape[-1] == 2:
        return np.asarray(np.maximum(gain[..., 1], loss[..., 1]))
    return np.asarray(np.minimum(np.minimum(gain.sum(-1), loss.sum(-1)), 1.0))
