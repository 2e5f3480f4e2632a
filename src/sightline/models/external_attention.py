"""Attention from another trained model: its weights on each text, or their mean by position."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Protocol

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import nn

from sightline.core.errors import ModelError
from sightline.core.protocols import Batch, Trace
from sightline.models.attention import Projection
from sightline.numerics.relative_positions import CELLS, recut


class AttentionLender(Protocol):
    """A trained model whose attention can be borrowed."""

    def trace(self, batch: Batch) -> Trace:
        """Run it."""
        ...


class BorrowedAttention(nn.Module):
    """The attention of another model on the same text. The other model is a part of this one, but
    is not trained with it.

    It is computed again for every text, including shortened ones. So the audited model is complete:
    its states come from one network and its attention from another (Wiegreffe & Pinter 2019,
    who looked up weights by text).
    """

    def __init__(self, projection: Projection, seed: int, run: str) -> None:
        super().__init__()
        self.run = run
        self.lender: AttentionLender | None = None
        self.numbers: Int[torch.Tensor, " V"]
        self.register_buffer("numbers", torch.zeros(0, dtype=torch.long))

    def train(self, mode: bool = True) -> BorrowedAttention:
        """Keep the lender in evaluation mode."""
        return super().train(False)

    def forward(
        self, scores: Float[torch.Tensor, "B T"], batch: Batch
    ) -> Float[torch.Tensor, "B T"]:
        """Run the lender on the same words, with the ids of its own vocabulary."""
        if self.lender is None:
            message = f"given(run={self.run}): expected a model that lends its attention, got none"
            raise ModelError(message, change="train it in a store")
        asked = None if batch.query_ids is None else self.numbers[batch.query_ids]
        return self.lender.trace(
            replace(batch, ids=self.numbers[batch.ids], query_ids=asked)
        ).attention.to(scores)


class Constant(nn.Module):
    """The same weights for every text, by position: a curve from the first word to the last,
    resampled to each length.

    It ignores the words, as in the test of Hassid et al. (2022), which uses the mean of a trained
    model; here the rest of the model is trained under it. The initial curve is flat.
    """

    def __init__(self, projection: Projection, seed: int) -> None:
        super().__init__()
        self.summed: Float[torch.Tensor, " G"]
        self.register_buffer("summed", torch.linspace(0, 1, CELLS + 1))

    def forward(
        self, scores: Float[torch.Tensor, "B T"], batch: Batch
    ) -> Float[torch.Tensor, "B T"]:
        """Give each word the integral of the curve over its interval."""
        there = batch.attendable
        cells = CELLS / there.sum(1, keepdim=True).clamp(min=1).double()
        number = there.cumsum(1)
        weights = self._until(number * cells) - self._until((number - 1).clamp(min=0) * cells)
        return weights.to(scores) * there

    def learn(self, attention: Iterable[Float[np.ndarray, " _"]]) -> None:
        """Set the curve to the mean weights of texts by position."""
        curves = [recut(weights, CELLS) for weights in attention]
        mean = np.mean(curves, axis=0)
        summed = np.concatenate([[0.0], np.cumsum(mean / mean.sum())])
        self.summed = torch.from_numpy(summed).to(self.summed)

    def _until(self, place: Float[torch.Tensor, "B T"]) -> Float[torch.Tensor, "B T"]:
        """Integrate the curve from its start to a position, which may lie within a cell."""
        cell = place.long().clamp(max=CELLS - 1)
        curve = self.summed.double()
        return curve[cell] + (place - cell) * (curve[cell + 1] - curve[cell])
