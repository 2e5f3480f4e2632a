"""A Transformer layer, written out because torch's fast paths depend on padding."""

from __future__ import annotations

import math

import torch
from jaxtyping import Bool, Float
from torch import nn


class TransformerLayer(nn.Module):
    """Attend with one head, then an affine–ReLU–affine for each token; both added and
    normalised.
    """

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.scale = 1 / math.sqrt(hidden)
        self.query, self.value, self.output = (nn.Linear(hidden, hidden) for _ in range(3))
        self.key = nn.Linear(
            hidden, hidden, bias=False
        )  # a bias would shift all scores of a token equally
        self.wide, self.narrow = nn.Linear(hidden, hidden), nn.Linear(hidden, hidden)
        self.after_attention, self.after_affine = nn.LayerNorm(hidden), nn.LayerNorm(hidden)

    def forward(
        self, states: Float[torch.Tensor, "B T H"], mask: Bool[torch.Tensor, "B T"]
    ) -> Float[torch.Tensor, "B T H"]:
        """Mix each state with the states of real tokens."""
        scores = torch.einsum("bth,bsh->bts", self.query(states), self.key(states)) * self.scale
        # A text without tokens attends to its padding, which avoids NaN; its states are zeroed at
        # the end.
        blocked = ~mask & mask.any(dim=1, keepdim=True)
        weights = torch.softmax(scores.masked_fill(blocked[:, None, :], -torch.inf), dim=2)
        mixed = self.after_attention(states + self.output(weights @ self.value(states)))
        transformed: torch.Tensor = self.after_affine(
            mixed + self.narrow(torch.relu(self.wide(mixed)))
        )
        return transformed
