"""The smallest set of attention weights whose removal flips the decision, and the set that an order
of the words finds.

With the weights of a set S at zero and the others scaled to sum to one, class c still beats class k
iff ``Σ_{t∉S} α_t (z_tc − z_tk) > 0``: the scale cancels. So for each rival k the smallest set has
the largest terms, and the least over the rivals is exact; Serrano & Smith (2019, §5) ask for this
number and search it by ranking. Token logits are ``B T L``; ``mask`` is True on real words. Only
words with weight are removed, and one of them must be left: without any weight there is no
decision.
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
    """The smallest sets: how many words each has (NaN where no set flips the decision), and which
    they are.
    """

    size: Float[Array, " B"]
    gone: Bool[Array, "B T"]

    @property
    def never(self) -> Bool[Array, " B"]:
        """Say where no set flips the decision: all words with weight decide alike, or ties fall to
        the decision.
        """
        return np.asarray(np.isnan(self.size))


def smallest(
    z: Float[Array, "B T L"], attention: Float[Array, "B T"], mask: Bool[Array, "B T"]
) -> FlipSets:
    """Find the smallest set of words without whose weights the decision is another; exact."""
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


def along(
    z: Float[Array, "B T L"],
    attention: Float[Array, "B T"],
    mask: Bool[Array, "B T"],
    order: Int[Array, "B T"],
) -> Float[Array, " B"]:
    """Count the words that go, first to last in an order, until the decision is another; NaN where
    it never is.

    The order passes over words without weight: there is nothing to remove.
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
    """Give what each word adds to the lead of the decided class over each other one, the class, and
    who has weight.

    An answer that a text does not allow has logits of −∞, and is no rival: its terms are NaN.
    """
    attended = mask & (attention > 0)
    weights = np.where(attended, attention, 0.0)
    apart = np.where(attended[..., None], classes_apart(z), 0.0)
    with np.errstate(invalid="ignore"):  # 0 · ∞ and ∞ − ∞, of answers that are not allowed
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
    """Count, for each rival, how many of the first terms must go until it beats the decided class;
    ∞: it never does.

    Words with weight come first. A tie goes to the first class, as the models break it
    (`simplex.decision`).
    """
    left = np.flip(
        np.cumsum(np.flip(terms, axis=1), axis=1), axis=1
    )  # from m on: what is left when m are gone
    left = np.where(np.abs(left) <= ROUNDING * np.abs(terms).sum(axis=1, keepdims=True), 0.0, left)
    rivals = np.arange(terms.shape[2])
    wins_ties = (rivals < chosen[:, None])[:, None, :]
    beaten = np.where(wins_ties, left <= 0, left < 0) & (rivals != chosen[:, None])[:, None, :]
    gone = np.arange(terms.shape[1])
    beaten &= ((gone >= 1) & (gone < words[:, None]))[..., None]
    return np.where(beaten.any(axis=1), beaten.argmax(axis=1), np.inf)
