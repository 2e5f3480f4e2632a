"""The words of a batch: measures rank, shuffle and delete words, whatever its tokens are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
import torch
from jaxtyping import Bool, Float, Int

from sightline.core.example import Example
from sightline.core.protocols import Trace
from sightline.core.seeds import seed_for
from sightline.numerics import subwords
from sightline.numerics.tensors import to_numpy

Array = np.ndarray


@dataclass(frozen=True)
class Words:
    """The words of each text, and which tokens of its trace they consist of.

    If every word is one token, the axis of words *is* the axis of tokens, with boundary tokens
    masked: nothing is moved, and no sum changes its order. If words are split into tokens, W counts
    words, and a word is treated as all its tokens together.

    Attributes
    ----------
    mask
        True on words.
    place
        The word that a token belongs to; −1 for tokens that are no word.
    shares
        The part of its word's attention that a token has; None where every word is one token.
    attention
        The weights of the trace, summed by word.
    heads
        The weights by token whose mean is ``attention``, if the model replaces all of them at once.
    index
        The index of the text in each row.
    in_sight
        True on words that attention can reach: weights that are shuffled or drawn stay among them.
    """

    mask: Bool[Array, "B W"]
    place: Int[Array, "B T"]
    shares: Float[Array, "B T"] | None
    attention: Float[Array, "B W"]
    heads: Float[torch.Tensor, "*N B T"] | None
    index: Int[Array, " B"]
    in_sight: Bool[Array, "B W"]

    @cached_property
    def own(self) -> Float[Array, "*N B W"]:
        """The weights that a model decodes, by word: ``attention``, or the weights of each head
        (and row).

        Each of them is changed (shuffled, removed) in the same way.
        """
        return self.attention if self.heads is None else self.of(to_numpy(self.heads))

    @cached_property
    def _own_shares(self) -> Float[Array, "*N B T"] | None:
        """The part of its word's weight that a token has, in each head."""
        if self.heads is None or self.shares is None:
            return self.shares
        return subwords.shares(to_numpy(self.heads), self.place)

    def of(self, values: Float[Array, "*N B T"]) -> Float[Array, "*N B W"]:
        """Add up the values of the tokens of each word."""
        return values if self.shares is None else subwords.summed(values, self.place)

    def weights(self, words: Float[Array, "*R B W"]) -> Float[Array, "*R B T"]:
        """Split the weights of words among their tokens as the model's own attention does."""
        return words if self.shares is None else subwords.reweighed(words, self.shares, self.place)

    def by_head(self, own: Float[Array, "*R B W"]) -> Float[Array, "*R B T"]:
        """Split weights made from ``own`` among the tokens of words, as each head does."""
        return (
            own
            if self._own_shares is None
            else subwords.reweighed(own, self._own_shares, self.place)
        )

    def alone(self, values: Float[Array, "B T L"]) -> Float[Array, "B W L"]:
        """Give the token logits of whole words: a mean over their tokens, weighted by the model's
        own attention.
        """
        if self.shares is None:
            return values
        mixed = [
            subwords.summed(one * self.shares, self.place) for one in np.moveaxis(values, -1, 0)
        ]
        return np.stack(mixed, axis=-1)

    def without(self, gone: Bool[Array, "B W"]) -> Bool[Array, "B T"]:
        """Mark the tokens that remain when words are deleted with all their tokens."""
        return subwords.kept_tokens(gone, self.place)


def words_of(trace: Trace) -> Words:
    """Read the words of a trace from its batch."""
    batch, attention = trace.batch, to_numpy(trace.attention)
    word, index = to_numpy(batch.word.masked_fill(~batch.mask, -1)), to_numpy(batch.index)
    if not subwords.has_split_words(word):
        attendable = to_numpy(batch.attendable)
        place = np.where(attendable, np.arange(attendable.shape[1]), -1)
        reached = attendable if trace.in_sight is None else to_numpy(trace.in_sight)
        return Words(attendable, place, None, attention, trace.heads, index, reached)
    shares = subwords.shares(attention, word)
    there = subwords.summed(to_numpy(batch.attendable).astype(float), word) > 0
    reached = (
        there
        if trace.in_sight is None
        else subwords.summed(to_numpy(trace.in_sight).astype(float), word) > 0
    )
    return Words(there, word, shares, subwords.summed(attention, word), trace.heads, index, reached)


def spelled(texts: Sequence[Example], words: Words, trace: Trace) -> list[str]:
    """Give the spelling of each word of a batch, text by text, in the order of ``mask``."""
    rows, columns = np.nonzero(words.mask)
    number = columns if words.shares is not None else to_numpy(trace.batch.word)[rows, columns]
    return [
        texts[row].tokens[word] for row, word in zip(rows.tolist(), number.tolist(), strict=True)
    ]


@lru_cache(maxsize=2**18)
def type_number(word: str) -> float:
    """Number a word by its spelling, the same in every batch, so that a measure can store it in an
    array.
    """
    return float(seed_for(0, "word type", word) >> 10)  # 53 bits: an integer that float64 holds


def types_of(texts: Sequence[Example], words: Words, trace: Trace) -> Float[Array, " _"]:
    """Number the words of a batch by their spelling, text by text."""
    return np.array([type_number(word) for word in spelled(texts, words, trace)])


def like(weights: Float[Array, "*R B T"], trace: Trace) -> torch.Tensor:
    """Convert weights over tokens to a tensor like the attention of a trace."""
    return torch.from_numpy(weights).to(trace.attention)
