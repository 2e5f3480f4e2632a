"""Slow, literal versions of how much a state matters: one text, one state, one number of it at a
time.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch

from sightline.models.classifier import AttentionClassifier


def weights_of(
    model: AttentionClassifier, states: torch.Tensor, moved: Sequence[float] | None = None
) -> torch.Tensor:
    """Score the states of one text, move the scores by constants, project."""
    scores = torch.stack([model.scorer(state[None, None], None)[0, 0] for state in states])
    moves = (
        torch.zeros_like(scores) if moved is None else torch.as_tensor(moved, dtype=scores.dtype)
    )
    there = torch.ones(1, len(states), dtype=torch.bool)
    return model.projection((scores + moves)[None], there)[0]


def logit_of(
    model: AttentionClassifier, states: torch.Tensor, moved: Sequence[float] | None = None
) -> float:
    """Answer from the states of one text: one logit."""
    weights = weights_of(model, states, moved)
    context = sum(weight * state for weight, state in zip(weights, states, strict=True))
    return model.decoder(context[None])[0, 0].item()


def slope_length(
    model: AttentionClassifier, states: torch.Tensor, place: int, step: float = 1e-5
) -> float:
    """Central differences along every axis of a state, the weights computed anew each time."""
    total = 0.0
    for axis in range(states.shape[1]):
        ends = []
        for sign in (1, -1):
            there = states.clone()
            there[place, axis] += sign * step
            ends.append(logit_of(model, there))
        total += ((ends[0] - ends[1]) / (2 * step)) ** 2
    return total**0.5


def lost_without(
    model: AttentionClassifier,
    states: torch.Tensor,
    place: int,
    moved: Sequence[float] | None = None,
) -> float:
    """How far the probability moves when a state is not there at all."""
    left = [other for other in range(len(states)) if other != place]
    moves = None if moved is None else [moved[other] for other in left]
    before, after = logit_of(model, states, moved), logit_of(model, states[left], moves)
    return abs(1 / (1 + math.exp(-before)) - 1 / (1 + math.exp(-after)))
