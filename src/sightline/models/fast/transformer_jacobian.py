"""Gradients of a Transformer's states with respect to each token: all states of a text go back
together, layer by layer.

One backward pass for each state would carry zero adjoints through the last layer, and repeat every
affine map of attention. Here the last layer, where each state has its own adjoint, is handled in
closed form. The affine maps of queries, keys and values are merged into the matrices that attention
multiplies.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from jaxtyping import Float, Int
from torch import nn

from sightline.models.transformer_layer import TransformerLayer

AT_ONCE = 2**18
"""Approximate number of adjoint values in memory at once, to fit the cache; at least those of one
state."""


@dataclass(frozen=True)
class LayerNormValues:
    """A layer normalisation: its normalised values, the divisor, and the scale."""

    numbers: Float[torch.Tensor, "T H"]
    rate: Float[torch.Tensor, "T 1"]
    scale: Float[torch.Tensor, " H"]

    @classmethod
    def of(cls, norm: nn.LayerNorm, states: Float[torch.Tensor, "T H"]) -> LayerNormValues:
        """Normalise states."""
        spread, middle = torch.var_mean(states, dim=1, correction=0, keepdim=True)
        rate = torch.rsqrt(spread + norm.eps)
        return cls((states - middle) * rate, rate, norm.weight)

    def back(self, adjoints: Float[torch.Tensor, "*P T H"]) -> Float[torch.Tensor, "*P T H"]:
        """Pass adjoints back; changes of a state's mean or spread have no effect."""
        scaled = adjoints * self.scale
        along = (scaled * self.numbers).mean(-1, keepdim=True)
        return (
            (scaled - scaled.mean(-1, keepdim=True))
            .addcmul_(self.numbers, along, value=-1)
            .mul_(self.rate)
        )


@dataclass(frozen=True)
class LayerActivations:
    """The intermediate values of a layer on one text.

    Keys and queries are stored in the form in which score adjoints reach the states, ``k W_q / √H``
    and ``q W_k / √H``; values in the form in which they reach the sum with the states, ``v W_oᵀ``;
    ``carried`` is ``W_o W_v``. If the map ``before`` the states is known, all three are projected
    ``onto`` its input.
    """

    layer: TransformerLayer
    weights: Float[torch.Tensor, "T T"]
    keys: Float[torch.Tensor, "T O"]
    queries: Float[torch.Tensor, "T O"]
    values: Float[torch.Tensor, "T H"]
    carried: Float[torch.Tensor, "H O"]
    mixed: LayerNormValues
    transformed: LayerNormValues
    open: Float[torch.Tensor, "T H"]
    before: Float[torch.Tensor, "H O"] | None = None

    def onto(self, before: Float[torch.Tensor, "H O"]) -> LayerActivations:
        """Extend the products by a linear map that produces the states, so adjoints reach its input
        directly.
        """
        carried, keys, queries = self.carried @ before, self.keys @ before, self.queries @ before
        return replace(self, carried=carried, keys=keys, queries=queries, before=before)

    def on(self, adjoints: Float[torch.Tensor, "*P H"]) -> Float[torch.Tensor, "*P O"]:
        """Pass adjoints of the states on through that map."""
        return adjoints if self.before is None else adjoints @ self.before

    def summed(self, adjoints: Float[torch.Tensor, "*P T H"]) -> Float[torch.Tensor, "*P T H"]:
        """Pass adjoints of the layer's states back to the sum of its input states and their
        attention output.
        """
        after = self.transformed.back(adjoints)
        inner = (after @ self.layer.narrow.weight).mul_(self.open)
        return self.mixed.back(after + inner @ self.layer.wide.weight)

    def scored(self, asked: Float[torch.Tensor, "*P T T"]) -> Float[torch.Tensor, "*P T T"]:
        """Pass adjoints of the weights back to the scores, through softmax."""
        weighed = asked * self.weights
        return weighed.addcmul_(self.weights, weighed.sum(-1, keepdim=True), value=-1)

    def alone(self, along: Float[torch.Tensor, "T H"]) -> StateAdjoint:
        """Pass ``a_p · s_p`` of each state p back to the scores; it does not involve the other
        states.
        """
        back = self.summed(along)
        return StateAdjoint(self, back, self.scored(back @ self.values.T))

    def together(self, adjoints: Float[torch.Tensor, "P T H"]) -> Float[torch.Tensor, "P T O"]:
        """Pass adjoints of all states back to the input states."""
        back = self.summed(adjoints)
        scores = self.scored(back @ self.values.T)
        mixed = (self.weights.T @ back) @ self.carried
        mixed += self.on(back)
        mixed += scores @ self.keys
        mixed += scores.mT @ self.queries
        return mixed


@dataclass(frozen=True)
class StateAdjoint:
    """Adjoints of one number of each state, at the sum and at the scores of a layer: zero except at
    that state.
    """

    of: LayerActivations
    back: Float[torch.Tensor, "T H"]
    scores: Float[torch.Tensor, "T T"]

    def before(self, rows: Int[torch.Tensor, " P"]) -> Float[torch.Tensor, "P T O"]:
        """Pass the adjoints of some states back to the layer's input states."""
        back, scores = self.back[rows], self.scores[rows]
        adjoints = self.of.weights[rows, :, None] * (back @ self.of.carried)[:, None]
        adjoints.addcmul_(scores[:, :, None], self.of.queries[rows][:, None])
        adjoints[torch.arange(len(rows), device=rows.device), rows] += (
            self.of.on(back) + scores @ self.of.keys
        )
        return adjoints


def run_layer(
    layer: TransformerLayer, states: Float[torch.Tensor, "T H"]
) -> tuple[LayerActivations, Float[torch.Tensor, "T H"]]:
    """Run a layer over one text, without padding, and keep the values for the backward pass."""
    queries, keys, values = (
        layer.query(states),
        layer.key(states),
        layer.value(states) @ layer.output.weight.T,
    )
    weights = torch.softmax(queries @ keys.T * layer.scale, dim=1)
    attended = states + weights @ values + layer.output.bias
    mixed = layer.after_attention(attended)
    wide = layer.wide(mixed)
    summed = mixed + layer.narrow(torch.relu(wide))
    known = LayerActivations(
        layer=layer,
        weights=weights,
        keys=keys @ layer.query.weight * layer.scale,
        queries=queries @ layer.key.weight * layer.scale,
        values=values,
        carried=layer.output.weight @ layer.value.weight,
        mixed=LayerNormValues.of(layer.after_attention, attended),
        transformed=LayerNormValues.of(layer.after_affine, summed),
        open=(wide > 0).to(states.dtype),
    )
    return known, layer.after_affine(summed)


def gradient_sizes(
    layers: Sequence[LayerActivations],
    along: Float[torch.Tensor, "T H"],
    onto: Float[torch.Tensor, "H O"],
) -> tuple[Float[torch.Tensor, "T T"], Float[torch.Tensor, "T O"]]:
    """Give ``‖onto · ∂(a_p · s_p) / ∂x_i‖₂`` for all states p and tokens i, and the vector itself
    for p = i.
    """
    *below, last = (layers[0].onto(onto), *layers[1:])
    begun = last.alone(along)
    lengths, own = (
        along.new_empty(len(along), len(along)),
        along.new_empty(len(along), onto.shape[1]),
    )
    for rows in torch.split(
        torch.arange(len(along), device=along.device), max(1, AT_ONCE // along.numel())
    ):
        adjoints = begun.before(rows)
        for layer in reversed(below):
            adjoints = layer.together(adjoints)
        lengths[rows] = torch.linalg.vector_norm(adjoints, dim=2)
        own[rows] = adjoints[torch.arange(len(rows), device=rows.device), rows]
    return lengths, own
