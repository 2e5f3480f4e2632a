"""What every encoder offers; how wide its states are, and what they have read, is in its row of the catalogue."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import torch
from jaxtyping import Bool, Float


@runtime_checkable
class Encoder(Protocol):
    """From embeddings to states, and from the states of a query to one vector; states of padding are zero."""

    def __call__(
        self, embeddings: Float[torch.Tensor, "B T E"], mask: Bool[torch.Tensor, "B T"]
    ) -> Float[torch.Tensor, "B T H"]:
        """Encode each token."""
        ...

    def summary(
        self, states: Float[torch.Tensor, "B Q H"], mask: Bool[torch.Tensor, "B Q"]
    ) -> Float[torch.Tensor, "B H"]:
        """Sum a query up in one vector."""
        ...


def masked_mean(states: Float[torch.Tensor, "B Q H"], mask: Bool[torch.Tensor, "B Q"]) -> Float[torch.Tensor, "B H"]:
    """Average over the real tokens; zeros where there is none."""
    real = mask[:, :, None]
    return (states * real).sum(1) / real.sum(1).clamp(min=1)
