"""Convolutions."""

from __future__ import annotations

import torch
from jaxtyping import Bool, Float
from torch import nn
from torch.nn.functional import relu


class CNN(nn.Module):
    """Parallel convolutions of odd widths, each with ``channels`` outputs, joined, then ReLU (Jain & Wallace 2019)."""

    def __init__(self, embedding: int, kernels: tuple[int, ...], channels: int) -> None:
        super().__init__()
        self.convolutions = nn.ModuleList(
            nn.Conv1d(embedding, channels, kernel, padding=kernel // 2) for kernel in kernels
        )

    def forward(
        self, embeddings: Float[torch.Tensor, "B T E"], mask: Bool[torch.Tensor, "B T"]
    ) -> Float[torch.Tensor, "B T H"]:
        """Read each token with its neighbours; beyond the ends of a text there are zeros."""
        real = mask[:, :, None]
        inputs = (embeddings * real).transpose(1, 2)
        joined = torch.cat([convolution(inputs) for convolution in self.convolutions], dim=1)
        return relu(joined).transpose(1, 2) * real

    def summary(
        self, states: Float[torch.Tensor, "B Q H"], mask: Bool[torch.Tensor, "B Q"]
    ) -> Float[torch.Tensor, "B H"]:
        """Take the largest value of each channel; states are at least 0, which padding is."""
        return states.max(dim=1).values
