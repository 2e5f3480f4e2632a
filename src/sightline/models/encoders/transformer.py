"""A small Transformer encoder whose masks are exact: written out, because torch's fast paths differ with padding."""

from __future__ import annotations

import math

import torch
from jaxtyping import Bool, Float
from torch import nn

from sightline.models.encoders.encoder import masked_mean


class Transformer(nn.Module):
    """Layers of self-attention with one head, over projected embeddings with sinusoidal positions.

    Vaswani et al. 2017, §3, normalised after each sum, without dropout; two layers and 128 units are those of Meister
    et al. 2021, who give no more than that.
    """

    def __init__(self, embedding: int, hidden: int, layers: int) -> None:
        super().__init__()
        self.input = nn.Linear(embedding, hidden)
        self.layers = nn.ModuleList(Layer(hidden) for _ in range(layers))

    def forward(
        self, embeddings: Float[torch.Tensor, "B T E"], mask: Bool[torch.Tensor, "B T"]
    ) -> Float[torch.Tensor, "B T H"]:
        """Encode each token among the others; a text without tokens gets zero states."""
        hidden = self.input.out_features
        states = self.input(embeddings) * math.sqrt(hidden)
        states = states + positions(embeddings.shape[1], hidden, states)
        for layer in self.layers:
            states = layer(states, mask)
        encoded: torch.Tensor = states * mask[:, :, None]
        return encoded

    def summary(
        self, states: Float[torch.Tensor, "B Q H"], mask: Bool[torch.Tensor, "B Q"]
    ) -> Float[torch.Tensor, "B H"]:
        """Average the states of real tokens: there is no state that has been made to stand for all."""
        return masked_mean(states, mask)


class Layer(nn.Module):
    """Attend with one head, then an affine–ReLU–affine for each token; both added and normalised."""

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.scale = 1 / math.sqrt(hidden)
        self.query, self.value, self.output = (nn.Linear(hidden, hidden) for _ in range(3))
        self.key = nn.Linear(hidden, hidden, bias=False)  # a bias would add the same to all scores of a token
        self.wide, self.narrow = nn.Linear(hidden, hidden), nn.Linear(hidden, hidden)
        self.after_attention, self.after_affine = nn.LayerNorm(hidden), nn.LayerNorm(hidden)

    def forward(
        self, states: Float[torch.Tensor, "B T H"], mask: Bool[torch.Tensor, "B T"]
    ) -> Float[torch.Tensor, "B T H"]:
        """Mix each state with those of real tokens."""
        scores = torch.einsum("bth,bsh->bts", self.query(states), self.key(states)) * self.scale
        # A text without tokens attends to its padding: its states are zeroed at the end, and are no NaN on the way.
        blocked = ~mask & mask.any(dim=1, keepdim=True)
        weights = torch.softmax(scores.masked_fill(blocked[:, None, :], -torch.inf), dim=2)
        mixed = self.after_attention(states + self.output(weights @ self.value(states)))
        transformed: torch.Tensor = self.after_affine(mixed + self.narrow(torch.relu(self.wide(mixed))))
        return transformed


def positions(length: int, size: int, like: torch.Tensor) -> Float[torch.Tensor, "T H"]:
    """Sines and cosines of wavelengths from 2π to 10,000 · 2π (Vaswani et al. 2017, §3.5): no longest text."""
    place = torch.arange(length, device=like.device, dtype=like.dtype)[:, None]
    unit = torch.arange(size, device=like.device)
    rate = torch.exp((unit // 2 * 2).to(like.dtype) * (-math.log(10_000.0) / size))
    return torch.where(unit % 2 == 0, torch.sin(place * rate), torch.cos(place * rate))
