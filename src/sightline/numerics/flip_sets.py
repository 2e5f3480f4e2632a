"""The smallest set of attention weights whose removal flips the prediction, and the set that a
given word order finds.

Set the weights of a set S to zero and rescale the others to sum to one. Class c still beats class k
iff ``Σ_{t∉S} α_t (z_tc − z_tk) > 0``: the scale cancels. So the smallest set for a rival k has the
largest terms, and the minimum over the rivals is exact. Serrano & Smith (2019, §5) search for this
number by ranking. Token logits are ``B T L``; ``mask`` is True on real words. Only words with
weight are removed, and one of them must stay: without any weight there is no prediction.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int

from sightline.numerics.simplex import classes_apart, decision

Array = np.ndarray
ROUNDING = 1e-12
"""A sum below this share of the sum of its terms’ sizes is a tie: some thousand steps of
float64."""


@dataclass(frozen=True)
class FlipSets:
    """The smallest sets: their sizes (NaN if no set flips the prediction) and their words."""

    size: Float[Array, " B"]
    gone: Bool[Array, "B T"]

    @property
    def never(self) -> Bool[Array, " B"]:
        """Tell which texts no set can flip: all words with weight predict the same class, or ties
        go to it.
        """
        return np.asarray(np.isnan(self.size))


def smallest(
    z: Float[Array, "B T L"], attention: Float[Array, "B T"], mask: Bool[Array, "B T"]
) -> FlipSets:
    """Find the smallest set of words whose removal flips the prediction; exact."""
    terms, chosen, attended = _terms(z, attention, mask)
    order = np.argsort(np.where(attended[..., None], -terms, np.inf), axis=1, kind="stable")
    sizes = _first_flip(np.take_along_axis(terms, order, axis=1), chosen, attended.sum(1))
    rival = sizes.argmin(axis=1)
    size = np.take_along_axis(sizes, rival[:, None], axis=1)[:, 0]
    of_rival = np.take_along_axis(order, rival[:, None, None], axis=2)[..., 0]
    gone = np.zeros(mask.shape, dtype=bool)
    first = np.arange(mask.shape[1]) < np.where(np.isinf(size), 0, size)[:, None]
    np.put_along_axis(gone, of_rival, first, axis=1)
    return FlipSets(np.where(np.isinf(size), np.nan, size), gone)


def removals_to_flip(
    z: Float[Array, "B T L"],
    attention: Float[Array, "B T"],
    mask: Bool[Array, "B T"],
    order: Int[Array, "B T"],
) -> Float[Array, " B"]:
    """Count the words removed, in the given order, until the prediction flips; NaN if it never
    does.

    The order skips words without weight.
    """
    terms, chosen, attended = _terms(z, attention, mask)
    without = ~np.take_along_axis(attended, order, axis=1)
    order = np.take_along_axis(order, np.argsort(without, axis=1, kind="stable"), axis=1)
    found = _first_flip(
        np.take_along_axis(terms, order[..., None], axis=1), chosen, attended.sum(1)
    ).min(axis=1)
    return np.where(np.isinf(found), np.nan, found)


def _terms(
    z: Float[Array, "B T L"], attention: Float[Array, "B T"], mask: Bool[Array, "B T"]
) -> tuple[Float[Array, "B T C"], Int[Array, " B"], Bool[Array, "B T"]]:
    """Give the contribution of each word to the lead of the predicted class over each rival, the
    class, and which words have weight.

    A class that the text does not allow has logits of −∞ and is no rival: its terms are NaN.
    """
    attended = mask & (attention > 0)
    weights = np.where(attended, attention, 0.0)
    apart = np.where(attended[..., None], classes_apart(z), 0.0)
    with np.errstate(invalid="ignore"):  # 0 · ∞ and ∞ − ∞, for classes that are not allowed
        chosen = decision(
            np.nan_to_num((weights[..., None] * apart).sum(axis=1), nan=-np.inf, neginf=-np.inf)
        )
        own = np.take_along_axis(apart, chosen[:, None, None], axis=2)
        terms = weights[..., None] * (own - apart)
    allowed = np.isfinite(terms).all(axis=1, keepdims=True)
    return np.where(allowed, terms, np.nan), chosen, attended


def _first_flip(
    terms: Float[Array, "B T C"], chosen: Int[Array, " B"], words: Int[Array, " B"]
) -> Float[Array, "B C"]:
    """Count, for each rival, the leading terms to remove until it beats the predicted class; ∞ if
    it never does.

    Words with weight come first. A tie goes to the first class, as the models break it
    (`simplex.decision`).
    """
    left = np.flip(
        np.cumsum(np.flip(terms, axis=1), axis=1), axis=1
    )  # entry m: the rest after removing m terms
    left = np.where(np.abs(left) <= ROUNDING * np.abs(terms).sum(axis=1, keepdims=True), 0.0, left)
    rivals = np.arange(terms.shape[2])
    wins_ties = (rivals < chosen[:, None])[:, None, :]
    beaten = np.where(wins_ties, left <= 0, left < 0) & (rivals != chosen[:, None])[:, None, :]
    gone = np.arange(terms.shape[1])
    beaten &= ((gone >= 1) & (gone < words[:, None]))[..., None]
    return np.where(beaten.any(axis=1), beaten.argmax(axis=1), np.inf)
