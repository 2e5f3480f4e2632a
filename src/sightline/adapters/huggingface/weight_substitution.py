"""Replaces the weights of whole layers, every head and row, by uniform weights or by the mean of
many texts (constant).
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float

from sightline.adapters.tap.tap import Weights


def uniform(weights: Weights) -> Weights:
    """Share each row equally among the tokens that it may see: the tokens with any weight."""
    seen = (weights > 0).to(weights.dtype)
    return seen / seen.sum(-1, keepdim=True).clamp(min=1)


def constant(weights: Weights, means: Float[torch.Tensor, "N longest_Q longest_T"]) -> Weights:
    """Replace each row by the mean of many texts, over the tokens that it may see (Hassid et al.
    2022, §3).
    """
    rows, tokens = weights.shape[2:]
    kept = means[None, :, :rows, :tokens].to(weights) * (weights > 0)
    total = kept.sum(-1, keepdim=True)
    return torch.where(
        total > 0, kept / total.clamp(min=torch.finfo(kept.dtype).tiny), uniform(weights)
    )


@dataclass
class WeightSums:
    """Sums of a layer's weights over texts, place by place, and the number of texts with each
    place.
    """

    weights: Float[torch.Tensor, "N Q T"]
    texts: Float[torch.Tensor, "Q T"]

    @property
    def means(self) -> Float[torch.Tensor, "N Q T"]:
        """The mean weight of each place, over the texts that have it."""
        return self.weights / self.texts.clamp(min=1)


def added(sums: WeightSums | None, weights: Weights, mask: Bool[torch.Tensor, "B T"]) -> WeightSums:
    """Add the weights of a batch. Rows and tokens of padding do not count, nor does a text with a
    weight that is not finite: it would leave no mean for the others.
    """
    rows = (
        mask if weights.shape[2] == mask.shape[1] else torch.ones_like(mask[:, : weights.shape[2]])
    )
    there = rows[:, :, None] & mask[:, None, :]
    there = there & (weights.isfinite() | ~there[:, None]).flatten(1).all(1)[:, None, None]
    kept = torch.where(there[:, None], weights.double(), 0.0)
    found = WeightSums(kept.sum(0), there.double().sum(0))
    if sums is None:
        return found
    return WeightSums(_joined(sums.weights, found.weights), _joined(sums.texts, found.texts))


def _joined(one: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    """Add two tensors whose last two axes start together and may differ in length."""
    rows, tokens = (max(one.shape[axis], other.shape[axis]) for axis in (-2, -1))
    return sum(
        (_padded(each, rows, tokens) for each in (one, other)), torch.zeros((), device=one.device)
    )


def _padded(one: torch.Tensor, rows: int, tokens: int) -> torch.Tensor:
    return torch.nn.functional.pad(one, (0, tokens - one.shape[-1], 0, rows - one.shape[-2]))
