"""Convolutions."""

from __future__ import annotations

import torch
from jaxtyping import Bool, Float, Int
from torch import nn
from torch.nn.functional import pad, relu

from sightline.models.fast.prefix_dedup import DistinctVectors, TokenTypes, distinct_rows
from sightline.models.fast.state_jacobian import windowed_influence

WIDEST = 31
"""The widest kernel for which neighbourhoods are compared: each needs a row of ids for every token."""


class CNN(nn.Module):
    """Parallel convolutions of odd widths, each with ``channels`` outputs, joined, then ReLU (Jain
    & Wallace 2019).
    """

    influences = True

    def __init__(self, embedding: int, kernels: tuple[int, ...], channels: int) -> None:
        super().__init__()
        self.reach = max(kernels) // 2
        self.convolutions = nn.ModuleList(
            nn.Conv1d(embedding, channels, kernel, padding=kernel // 2) for kernel in kernels
        )

    def forward(
        self, embeddings: Float[torch.Tensor, "B T E"], mask: Bool[torch.Tensor, "B T"]
    ) -> Float[torch.Tensor, "B T H"]:
        """Encode each token with its neighbours; beyond the ends of a text there are zeros."""
        real = mask[:, :, None]
        inputs = (embeddings * real).transpose(1, 2)
        joined = torch.cat([convolution(inputs) for convolution in self.convolutions], dim=1)
        return relu(joined).transpose(1, 2) * real

    @property
    def shares(self) -> bool:
        """Tell whether all kernels are narrow enough to compare neighbourhoods."""
        return 2 * self.reach < WIDEST

    def distinct(self, types: TokenTypes) -> tuple[DistinctVectors, ...]:
        """Encode each distinct neighbourhood once, from the product of each distinct token with
        each kernel position.
        """
        width = 2 * self.reach + 1
        near = pad(types.number, (self.reach, self.reach)).unfold(1, width, 1).reshape(-1, width)
        found, which = distinct_rows(near.cpu().numpy())
        rows = torch.from_numpy(found).to(near.device)
        joined = torch.cat(
            [self._convolved(one, types.embeddings, rows) for one in self.convolutions], dim=1
        )
        at = torch.from_numpy(which).to(near.device).view(types.number.shape)
        return (DistinctVectors(relu(joined), rows[:, self.reach], at),)

    def _convolved(
        self,
        convolution: nn.Module,
        embeddings: Float[torch.Tensor, "V E"],
        near: Int[torch.Tensor, "M K"],
    ) -> Float[torch.Tensor, "M O"]:
        assert isinstance(convolution, nn.Conv1d)
        weight, bias = convolution.weight, convolution.bias
        assert bias is not None
        first = self.reach - weight.shape[2] // 2
        taps = [
            (embeddings @ weight[:, :, tap].T)[near[:, first + tap]]
            for tap in range(weight.shape[2])
        ]
        return torch.stack(taps).sum(0) + bias

    def influence(
        self,
        embeddings: Float[torch.Tensor, "B T E"],
        mask: Bool[torch.Tensor, "B T"],
        along: Float[torch.Tensor, "B T H"],
        own_gradient: Float[torch.Tensor, "B T E"],
    ) -> Float[torch.Tensor, "B T T"]:
        """Give the gradient of each state with respect to the tokens that its widest kernel reads."""
        return windowed_influence(self, self.reach, embeddings, mask, along, own_gradient)

    def summary(
        self, states: Float[torch.Tensor, "B Q H"], mask: Bool[torch.Tensor, "B Q"]
    ) -> Float[torch.Tensor, "B H"]:
        """Take the maximum of each channel; states are at least 0, and padding is 0."""
        return states.max(dim=1).values
