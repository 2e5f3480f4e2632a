"""Where attention comes from: the model's scores, or something else that takes their place."""

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
    """The same weight for every word, in training as in use (Wiegreffe & Pinter 2019, §3.1)."""

    def __call__(
        self, scores: Float[torch.Tensor, "B T"], batch: Batch
    ) -> Float[torch.Tensor, "B T"]:
        """Ignore the scores."""
        return uniform(batch.attendable, scores)


@dataclass(frozen=True)
class Random:
    """Weights drawn once for each word of each text and then kept: used by the decoder, chosen by
    nobody.

    A word keeps its score when others are deleted, so a deletion renormalises what is left.
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
    """Weights drawn once for each word *type*: the same word scores alike in every text, and
    training never moves it.

    The states may learn to suit such weights, as they cannot suit `Random` ones: the control for weights that were
    *chosen*.
    """

    projection: Projection
    seed: int
    scale: float

    def __call__(
        self, scores: Float[torch.Tensor, "B T"], batch: Batch
    ) -> Float[torch.Tensor, "B T"]:
        """Project scores drawn from N(0, scale²) by the number of the word in the vocabulary."""
        # The first numbers of a stream do not depend on how many are drawn, so neither does the
        # score of a word.
        generator = np.random.default_rng(seed_for(self.seed, "frozen attention"))
        drawn = generator.normal(0.0, self.scale, size=int(batch.ids.max()) + 1)
        table = torch.tensor(drawn, device=batch.ids.device)
        return self.projection(table[batch.ids].to(scores), batch.attendable)


@dataclass(frozen=True)
class Given:
    """Weights handed in for each word of each text (by ``Example.index``), such as those of another
    model.
    """

    weights: Mapping[int, np.ndarray]

    def __call__(
        self, scores: Float[torch.Tensor, "B T"], batch: Batch
    ) -> Float[torch.Tensor, "B T"]:
        """Look the weights up and scale them over the words that are left."""
        given = by_word([self.weights[int(i)] for i in batch.index], batch).to(scores)
        return renormalise(given, batch.attendable)


def drawn_by_word(
    draw: Callable[[np.random.Generator, int], np.ndarray], seed: int, stage: str, batch: Batch
) -> Float[torch.Tensor, "B T"]:
    """Draw a number for each word of each text; it stays with the word in any batch, and when
    others are deleted.
    """
    texts = zip(batch.index.tolist(), (batch.word.amax(1) + 1).tolist(), strict=True)
    drawn = [
        draw(np.random.default_rng(seed_for(seed, stage, index)), max(words, 1))
        for index, words in texts
    ]
    return by_word(drawn, batch)


def by_word(values: list[np.ndarray], batch: Batch) -> Float[torch.Tensor, "B T"]:
    """Lay out one number for each word of each text, given text by text, over the tokens that these
    words are now.
    """
    width = max(
        int(batch.word.max()) + 1, *(len(row) for row in values)
    )  # words that none are given for have none
    table = torch.tensor(
        np.stack([np.pad(row, (0, width - len(row))) for row in values]), device=batch.ids.device
    )
    found: Bool[torch.Tensor, "B T"] = batch.word >= 0
    return table.gather(1, batch.word.clamp(min=0)) * found


Source = Callable[[torch.Tensor, Batch], torch.Tensor]
"""Turns scores ``B T`` of a batch into weights ``B T``, or puts others in their place.

What every source promises (``tests/contract/test_parts.py``): weights are at least 0, sum to 1 over
the attendable tokens of a text, and are exactly 0 elsewhere. A text without any gets zeros. Weights
of a text are the same alone and in any batch, and have the type and device of the scores. Scores
and batch are left as they were. The seed alone decides what is drawn, and what was drawn for a word
stays with it when other words are deleted.
"""


def learned(projection: Projection, seed: int) -> Source:
    """Take the model's own scores."""
    return LearnedAttention(projection)


def uniformly(projection: Projection, seed: int) -> Source:
    """Take no scores at all."""
    return Uniform()
