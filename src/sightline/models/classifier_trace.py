"""The trace of a built-in model, with its internal values."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float

from sightline.core.protocols import Trace


@dataclass(frozen=True, kw_only=True)
class ClassifierTrace(Trace):
    """A trace with the states, the pooled vectors, the scores before projection, and the query, if
    any.
    """

    states: Float[torch.Tensor, "B T H"]
    pooled: Float[torch.Tensor, "B T P"]
    scores: Float[torch.Tensor, "B T"]
    query: Float[torch.Tensor, "B H"] | None = None


@dataclass(frozen=True, kw_only=True)
class LabelwiseTrace(ClassifierTrace):
    """A trace of all labels at once, each with scores and attention of its own: for training."""

    attention: Float[torch.Tensor, "B K T"]
    scores: Float[torch.Tensor, "B K T"]
