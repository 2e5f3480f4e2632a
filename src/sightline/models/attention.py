"""From states to attention: scorers, projections by name, and where attention comes from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import nn

from sightline.maths.projections import renormalise, softmax, uniform
from sightline.seeds import seed_for
from sightline.spec import Part
from sightline.types import Batch

Projection = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]


class Additive(nn.Module):
    """``score_t = v · tanh(W h_t + b)`` (Bahdanau et al. 2015; Jain & Wallace 2019, §2; Wen et al. 2022, eq. 2)."""

    def __init__(self, states: int, hidden: int = 0) -> None:
        super().__init__()
        width = hidden or max(1, states // 2)
        self.inner = nn.Linear(states, width)
        self.outer = nn.Linear(width, 1, bias=False)

    def forward(self, states: Float[torch.Tensor, "B T H"]) -> Float[torch.Tensor, "B T"]:
        """Score every token."""
        scores: torch.Tensor = self.outer(torch.tanh(self.inner(states)))
        return scores.squeeze(-1)


@dataclass(frozen=True)
class Learned:
    """Attention as the model computes it."""

    projection: Projection

    def __call__(self, scores: Float[torch.Tensor, "B T"], batch: Batch) -> Float[torch.Tensor, "B T"]:
        """Project the model's own scores."""
        return self.projection(scores, batch.attendable)


@dataclass(frozen=True)
class Uniform:
    """The same weight for every word, in training as in use (Wiegreffe & Pinter 2019, §3.1)."""

    def __call__(self, scores: Float[torch.Tensor, "B T"], batch: Batch) -> Float[torch.Tensor, "B T"]:
        """Ignore the scores."""
        return uniform(batch.attendable, scores)


@dataclass(frozen=True)
class Random:
    """Weights drawn once for each word of each text and then kept: used by the decoder, chosen by nobody.

    A word keeps its score when others are deleted, so a deletion renormalises what is left.
    """

    projection: Projection
    seed: int
    scale: float

    def __call__(self, scores: Float[torch.Tensor, "B T"], batch: Batch) -> Float[torch.Tensor, "B T"]:
        """Project scores drawn from N(0, scale²) by text and word."""
        drawn = [self._draw(int(i), int(words)) for i, words in zip(batch.index, batch.word.amax(1) + 1, strict=True)]
        return self.projection(_by_word(drawn, batch).to(scores), batch.attendable)

    def _draw(self, index: int, words: int) -> np.ndarray:
        generator = np.random.default_rng(seed_for(self.seed, "random attention", index))
        return generator.normal(0.0, self.scale, size=max(words, 1))


@dataclass(frozen=True)
class Given:
    """Weights handed in for each word of each text (by ``Example.index``), such as those of another model."""

    weights: Mapping[int, np.ndarray]

    def __call__(self, scores: Float[torch.Tensor, "B T"], batch: Batch) -> Float[torch.Tensor, "B T"]:
        """Look the weights up and scale them over the words that are left."""
        given = _by_word([self.weights[int(i)] for i in batch.index], batch).to(scores)
        return renormalise(given, batch.attendable)


def _by_word(values: list[np.ndarray], batch: Batch) -> Float[torch.Tensor, "B T"]:
    width = max(len(row) for row in values)
    table = torch.tensor(np.stack([np.pad(row, (0, width - len(row))) for row in values]), device=batch.ids.device)
    found: Bool[torch.Tensor, "B T"] = batch.word >= 0
    return table.gather(1, batch.word.clamp(min=0)) * found


Source = Learned | Uniform | Random | Given

SCORERS: Mapping[str, Callable[[Part, int], Additive]] = {
    "additive": lambda part, states: Additive(states, **part.sizes(hidden=0)),
}
"""Every scorer by the name it has in a spec, built from its part and the size of the states."""

PROJECTIONS: Mapping[str, Projection] = {"softmax": softmax}
"""Every projection by the name it has in a spec."""

SOURCES: Mapping[str, Callable[[Part, Projection, int], Source]] = {
    "learned": lambda part, projection, seed: Learned(projection, **part.only()),
    "uniform": lambda part, projection, seed: Uniform(**part.only()),
    "random": lambda part, projection, seed: Random(projection, seed, **part.sizes(scale=1.0)),
}
"""Every source of attention by the name it has in a spec; the seed is that of the run."""
