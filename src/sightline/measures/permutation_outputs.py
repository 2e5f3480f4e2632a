"""What permuted weights do to the output: exactly for an affine decoder, by decoding for others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int

from sightline.core.protocols import Arrays
from sightline.measures.batch_words import Words
from sightline.measures.decode_attention import Decoding
from sightline.measures.trace_arrays import rearranged
from sightline.numerics.divergences import probabilities, total_variation
from sightline.numerics.simplex import (
    classes_apart,
    gaps_of,
    permuted_extremes,
    permuted_moments,
    permuted_reach,
)

Array = np.ndarray
EXACT = ("gap_low", "gap_high", "logit_mean", "logit_variance")
"""Quantities that need token logits: they are about all permutations, beyond the sampled ones."""


Orders = Iterable[Int[Array, "B W"]]
"""Permutations of the words of a batch, one after the other."""


@dataclass(frozen=True)
class Mixed:
    """Outputs that are a mixture of token logits ``z``."""

    z: Float[Array, "B W L"]
    words: Words

    def logits(self, weights: Float[Array, "B W"]) -> Float[Array, "B L"]:
        """Mix with these weights."""
        return np.asarray(np.einsum("bt,btl->bl", weights, self.z))

    def permuted(self, weights: Float[Array, "B W"], orders: Orders) -> Float[Array, "B R L"]:
        """Mix with permutations of these weights."""
        permuted = np.stack([rearranged(weights, self.words.mask, order) for order in orders])
        return np.asarray(np.einsum("rbt,btl->brl", permuted, self.z))

    def largest(self, weights: Sequence[Array], own: Array, drawn: Sequence[Array]) -> Array:
        """Bound the change of the output under any permutation, sampled or not."""
        return permuted_reach(self.z, np.stack(weights), self.words.mask, own)

    def exact(self) -> Arrays:
        """Give the exact quantities under all permutations (`EXACT`)."""
        attention, mask = self.words.attention, self.words.mask
        low, high = (
            ends[0, :, 0] for ends in permuted_extremes(gaps_of(self.z, -1), attention[None], mask)
        )
        mean, variance = permuted_moments(self.z, attention, mask)
        return dict(zip(EXACT, (low, high, mean[:, -1], variance[:, -1]), strict=True))


@dataclass(frozen=True)
class Decoded:
    """Outputs of any decoder, decoded one by one.

    The first weights are the model's own. If it has several heads, each head has its own weights,
    and all are permuted in the same way.
    """

    decoding: Decoding

    def logits(self, weights: Float[Array, "*N B W"]) -> Float[Array, "B L"]:
        """Decode these weights."""
        return np.asarray(self._decoded(weights, [weights])[0])

    def permuted(self, weights: Float[Array, "*N B W"], orders: Orders) -> Float[Array, "B R L"]:
        """Decode permutations of these weights."""
        mask = self.decoding.words.mask
        permuted = (rearranged(weights, mask, order) for order in orders)
        return np.asarray(self._decoded(weights, permuted).swapaxes(0, 1))

    def largest(
        self, weights: Sequence[Array], own: Array, drawn: Sequence[Array]
    ) -> Float[Array, "R B"]:
        """Give the largest distance among those ``drawn`` and those of sorted permutations, which
        follow what a class gets from each word alone.

        For an affine decoder of two classes no permutation goes further; for another decoder, some
        may.
        """
        most, answers = np.stack([one.max(axis=1) for one in drawn]), probabilities(own)
        words = self.decoding.words
        shown = [words.attention, *weights[1:]]
        for order in _orders(self.decoding.alone()):
            falling = [_sorted(order, one, words.in_sight) for one in shown]
            moved = [
                self.permuted(one, [by])[:, 0] for one, by in zip(weights, falling, strict=True)
            ]
            most = np.maximum(most, total_variation(probabilities(np.stack(moved)), answers))
        return most

    def exact(self) -> Arrays:
        """No quantity is known over all permutations."""
        return {}

    def _decoded(
        self, weights: Float[Array, "*N B W"], made: Iterable[Array]
    ) -> Float[Array, "R B L"]:
        """Decode what was ``made`` from weights, head by head if they are the model's own."""
        if weights is self.decoding.words.own:
            return self.decoding.by_head(made)
        return self.decoding.logits(np.stack([*made]))


def _orders(alone: Float[Array, "B W L"]) -> list[Float[Array, "B W"]]:
    """Order words by how much each alone speaks for a class, and against it; with two classes, one
    class is enough.
    """
    apart = classes_apart(alone)
    classes = range(1 if apart.shape[-1] == 2 else apart.shape[-1])
    rest = (np.logaddexp.reduce(np.delete(apart, c, axis=-1), axis=-1) for c in classes)
    with np.errstate(
        invalid="ignore"
    ):  # a class that the text does not allow has −∞ for every word
        odds = [
            np.nan_to_num(apart[..., c] - others) for c, others in zip(classes, rest, strict=True)
        ]
    return [order for one in odds for order in (one, -one)]


def _sorted(
    order: Float[Array, "B W"], weights: Float[Array, "B W"], mask: Bool[Array, "B W"]
) -> Int[Array, "B W"]:
    """Permute so that the largest weight goes to the word with the largest value, and so on."""
    places = np.argsort(np.where(mask, -order, np.inf), axis=1, kind="stable")
    falling = np.argsort(np.where(mask, -weights, np.inf), axis=1, kind="stable")
    out = np.zeros(places.shape, dtype=np.int64)
    np.put_along_axis(out, places, falling, axis=1)
    return out
