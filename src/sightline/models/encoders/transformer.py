"""A small Transformer encoder with exact masks, written out because torch's fast paths depend on
padding.
"""

from __future__ import annotations

import math
from typing import cast

import torch
from jaxtyping import Bool, Float
from torch import nn

from sightline.models.encoder_protocol import masked_mean
from sightline.models.fast.transformer_jacobian import LayerActivations, gradient_sizes, run_layer
from sightline.models.transformer_layer import TransformerLayer


class Transformer(nn.Module):
    """Layers of self-attention with one head, over projected embeddings with sinusoidal positions.

    Vaswani et al. 2017, §3, normalised after each sum, without dropout; two layers and 128 units as
    in Meister et al. 2021, who give no further details.
    """

    influences = True

    def __init__(self, embedding: int, hidden: int, layers: int) -> None:
        super().__init__()
        self.input = nn.Linear(embedding, hidden)
        self.layers = nn.ModuleList(TransformerLayer(hidden) for _ in range(layers))

    def forward(
        self, embeddings: Float[torch.Tensor, "B T E"], mask: Bool[torch.Tensor, "B T"]
    ) -> Float[torch.Tensor, "B T H"]:
        """Encode each token among the others; a text without tokens gets zero states."""
        states = self._placed(embeddings)
        for layer in self.layers:
            states = layer(states, mask)
        encoded: torch.Tensor = states * mask[:, :, None]
        return encoded

    def influence(
        self,
        embeddings: Float[torch.Tensor, "B T E"],
        mask: Bool[torch.Tensor, "B T"],
        along: Float[torch.Tensor, "B T H"],
        own_gradient: Float[torch.Tensor, "B T E"],
    ) -> Float[torch.Tensor, "B T T"]:
        """Give ``‖∂(a_p · h_p) / ∂e_i‖₂`` for all states p and tokens i; ``own_gradient`` is added to the
        gradient by a state's own token.

        Norms are taken in the space of the states: the map from embeddings to states is ``Q R``,
        and ``Q`` preserves lengths.
        """
        states, lengths = self._placed(embeddings), along.new_zeros(*mask.shape, mask.shape[1])
        turned, onto = torch.linalg.qr(self.input.weight.T * math.sqrt(self.input.out_features))
        for row, real in enumerate(mask):
            place = real.nonzero()[:, 0]
            if len(place):
                sizes, own = gradient_sizes(
                    self._passed(states[row, place]), along[row, place], onto.T
                )
                whole = torch.linalg.vector_norm(own @ turned.T + own_gradient[row, place], dim=1)
                lengths[row, place[:, None], place] = sizes.diagonal_scatter(whole)
        return lengths

    def _placed(self, embeddings: Float[torch.Tensor, "B T E"]) -> Float[torch.Tensor, "B T H"]:
        hidden = self.input.out_features
        states: torch.Tensor = self.input(embeddings) * math.sqrt(hidden)
        return states + positions(embeddings.shape[1], hidden, states)

    def _passed(self, states: Float[torch.Tensor, "T H"]) -> list[LayerActivations]:
        """Run the layers over the tokens of one text."""
        layers = []
        for layer in self.layers:
            one, states = run_layer(cast(TransformerLayer, layer), states)
            layers.append(one)
        return layers

    def summary(
        self, states: Float[torch.Tensor, "B Q H"], mask: Bool[torch.Tensor, "B Q"]
    ) -> Float[torch.Tensor, "B H"]:
        """Average the states of real tokens: there is no special summary state."""
        return masked_mean(states, mask)


def positions(length: int, size: int, like: torch.Tensor) -> Float[torch.Tensor, "T H"]:
    """Sines and cosines of wavelengths from 2π to 10,000 · 2π (Vaswani et al. 2017, §3.5): any text
    length works.
    """
    place = torch.arange(length, device=like.device, dtype=like.dtype)[:, None]
    unit = torch.arange(size, device=like.device)
    rate = torch.exp((unit // 2 * 2).to(like.dtype) * (-math.log(10_000.0) / size))
    return torch.where(unit % 2 == 0, torch.sin(place * rate), torch.cos(place * rate))
