"""Attention sources: the model's own scores, or weights that replace them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float

from sightline.core.protocols import Batch
from sightline.core.seeds import seed_for
from sightline.numerics.projections import renormalise, uniform

Projection = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]


@dataclass(frozen=True)
class LearnedAttention:
    """Attention as the model computes it."""

    projection: Projection

    def __call__(
        self, scores: Float[torch.Tensor, "B T"], batch: Batch
    ) -> Float[torch.Tensor, "B T"]:
        """Project the model's own scores."""
        return self.projection(scores, batch.attendable)


@dataclass(frozen=True)
class Uniform:
    """The same weight for every word, in training and in use (Wiegreffe & Pinter 2019)."""

    def __call__(
        self, scores: Float[torch.Tensor, "B T"], batch: Batch
    ) -> Float[torch.Tensor, "B T"]:
        """Ignore the scores."""
        return uniform(batch.attendable, scores)


@dataclass(frozen=True)
class Random:
    """Random weights, drawn once for each word of each text, which the decoder uses.

    A word keeps its score when others are deleted, so a deletion only renormalises the rest.
    """

    projection: Projection
    seed: int
    scale: float

    def __call__(
        self, scores: Float[torch.Tensor, "B T"], batch: Batch
    ) -> Float[torch.Tensor, "B T"]:
        """Project scores drawn from N(0, scale²) by text and word."""

        def draw(generator: np.random.Generator, words: int) -> np.ndarray:
            return generator.normal(0.0, self.scale, size=words)

        return self.projection(
            drawn_by_word(draw, self.seed, "random attention", batch).to(scores), batch.attendable
        )


@dataclass(frozen=True)
class FrozenWeights:
    """Random weights, drawn once for each word *type*: a word has the same score in every text, and
    training never changes it.

    The states can adapt to these weights, but not to `Random` ones. This is the control for whether
    attention *selected* words.
    """

    projection: Projection
    seed: int
    scale: float

    def __call__(
        self, scores: Float[torch.Tensor, "B T"], batch: Batch
    ) -> Float[torch.Tensor, "B T"]:
        """Project scores drawn from N(0, scale²) by the number of the word in the vocabulary."""
        # The first numbers of a random stream do not depend on how many are drawn, so a word's
        # score does not either.
        generator = np.random.default_rng(seed_for(self.seed, "frozen attention"))
        drawn = generator.normal(0.0, self.scale, size=int(batch.ids.max()) + 1)
        table = torch.tensor(drawn, device=batch.ids.device)
        return self.projection(table[batch.ids].to(scores), batch.attendable)


@dataclass(frozen=True)
class GivenWeights:
    """Given weights for each word of each text (by ``Example.index``), for example from another
    model.
    """

    weights: Mapping[int, np.ndarray]

    def __call__(
        self, scores: Float[torch.Tensor, "B T"], batch: Batch
    ) -> Float[torch.Tensor, "B T"]:
        """Look up the weights and rescale them over the remaining words."""
        given = by_word([self.weights[int(i)] for i in batch.index], batch).to(scores)
        return renormalise(given, batch.attendable)


def drawn_by_word(
    draw: Callable[[np.random.Generator, int], np.ndarray], seed: int, stage: str, batch: Batch
) -> Float[torch.Tensor, "B T"]:
    """Draw a number for each word of each text. It does not depend on the batch or on deletions of
    other words.
    """
    texts = zip(batch.index.tolist(), (batch.word.amax(1) + 1).tolist(), strict=True)
    drawn = [
        draw(np.random.default_rng(seed_for(seed, stage, index)), max(words, 1))
        for index, words in texts
    ]
    return by_word(drawn, batch)


def by_word(values: list[np.ndarray], batch: Batch) -> Float[torch.Tensor, "B T"]:
    """Assign numbers, given for each word of each text, to the current tokens of these words."""
    width = max(
        int(batch.word.max()) + 1, *(len(row) for row in values)
    )  # words without a given number get zero
    table = torch.tensor(
        np.stack([np.pad(row, (0, width - len(row))) for row in values]), device=batch.ids.device
    )
    found: Bool[torch.Tensor, "B T"] = batch.word >= 0
    return table.gather(1, batch.word.clamp(min=0)) * found


Source = Callable[[torch.Tensor, Batch], torch.Tensor]
"""Maps the scores ``B T`` of a batch to weights ``B T``, or replaces them.

What every source guarantees (``tests/contract/test_parts.py``): weights are at least 0, sum to 1
over the attendable tokens of a text, and are exactly 0 elsewhere. A text without attendable tokens
gets zeros. The weights of a text are the same alone and in any batch, with the type and device of
the scores. Scores and batch are not modified. Random numbers depend on the seed only, and a word
keeps its number when other words are deleted.
"""


def learned(projection: Projection, seed: int) -> Source:
    """Use the model's own scores."""
    return LearnedAttention(projection)


def uniformly(projection: Projection, seed: int) -> Source:
    """Use uniform weights."""
    return Uniform()
