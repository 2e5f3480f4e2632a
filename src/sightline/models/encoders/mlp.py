"""One layer for each token."""

from __future__ import annotations

import torch
from jaxtyping import Bool, Float
from torch import nn

from sightline.models.encoder_protocol import masked_mean
from sightline.models.fast.prefix_dedup import DistinctVectors, TokenTypes
from sightline.models.fast.state_jacobian import windowed_influence


class MLP(nn.Module):
    """One affine layer and a tanh for each token, so states are independent (the "Average" of Jain
    & Wallace).
    """

    shares = True
    influences = True

    def __init__(self, embedding: int, hidden: int) -> None:
        super().__init__()
        self.affine = nn.Linear(embedding, hidden)

    def forward(
        self, embeddings: Float[torch.Tensor, "B T E"], mask: Bool[torch.Tensor, "B T"]
    ) -> Float[torch.Tensor, "B T H"]:
        """Encode each token by itself."""
        return torch.tanh(self.affine(embeddings)) * mask[:, :, None]

    def influence(
        self,
        embeddings: Float[torch.Tensor, "B T E"],
        mask: Bool[torch.Tensor, "B T"],
        along: Float[torch.Tensor, "B T H"],
        own_gradient: Float[torch.Tensor, "B T E"],
    ) -> Float[torch.Tensor, "B T T"]:
        """Give the gradient of each state with respect to its own token, in one pass."""
        return windowed_influence(self, 0, embeddings, mask, along, own_gradient)

    def summary(
        self, states: Float[torch.Tensor, "B Q H"], mask: Bool[torch.Tensor, "B Q"]
    ) -> Float[torch.Tensor, "B H"]:
        """Average the states of real tokens (Jain & Wallace's code averages the padding in,
        too).
        """
        return masked_mean(states, mask)

    def distinct(self, types: TokenTypes) -> tuple[DistinctVectors, ...]:
        """Encode each distinct token once."""
        token = torch.arange(len(types.embeddings), device=types.number.device)
        return (DistinctVectors(torch.tanh(self.affine(types.embeddings)), token, types.number),)
