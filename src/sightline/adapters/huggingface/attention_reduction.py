"""Reduces the weights of a run to one number a token, for each kind of attention source."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int

from sightline.adapters.huggingface.attention_source import AttentionSource, Kind, QueryRow
from sightline.adapters.tap.attention_row import last_place
from sightline.adapters.tap.tap import Weights
from sightline.numerics.projections import renormalise

Tokens = Float[torch.Tensor, "B T"]


@dataclass(frozen=True)
class LayerOutput:
    """The record of one layer: its weights, and, if an attention source needs them, the lengths of
    the values and the slopes.
    """

    weights: Weights
    lengths: Float[torch.Tensor, "B N T"] | None
    slopes: Weights | None


@dataclass(frozen=True)
class RecordedRun:
    """The record of the layers that are read in a run."""

    mask: Bool[torch.Tensor, "B T"]
    readable: Bool[torch.Tensor, "B T"]
    row: QueryRow
    layers: Mapping[int, LayerOutput]

    def read(self, of_heads: Float[torch.Tensor, "B T T"]) -> Tokens:
        """Take the row that the classifier's head reads, or the mean of all rows if it reads all."""
        if self.row == "all":
            real = self.mask.to(of_heads.dtype)[:, :, None]
            return (of_heads * real).sum(1) / real.sum(1)
        return of_heads[torch.arange(len(of_heads)), place(self.readable, self.row)]


def readable_tokens(
    ids: Int[torch.Tensor, "B T"], mask: Bool[torch.Tensor, "B T"], skipped: int | None
) -> Bool[torch.Tensor, "B T"]:
    """Mark the tokens whose row a classifier may read as the last one: those of the text, but not a
    padding token that is written in it, if the classifier finds the end of a text by that token.
    """
    return mask if skipped is None else mask & (ids != skipped)


def place(readable: Bool[torch.Tensor, "B T"], row: QueryRow) -> Int[torch.Tensor, " B"]:
    """The index of the row that is read, the first or the last."""
    first = torch.zeros_like(readable[:, 0], dtype=torch.long)
    return first if row == "first" else last_place(readable)


def shown_weights(ran: RecordedRun, reading: AttentionSource) -> Tokens:
    """Give the weight that an attention source shows for each token, special tokens included; every
    row sums to one.
    """
    return VIEWS[reading.kind](ran, reading)


def _weights(ran: RecordedRun, reading: AttentionSource) -> Tokens:
    weights = _layer(ran, reading).weights
    return ran.read(weights.mean(1) if reading.head is None else weights[:, reading.head])


def _values(ran: RecordedRun, reading: AttentionSource) -> Tokens:
    """``Σ_h α_ht ‖v_ht‖``, as a share (after Kobayashi et al. 2020, eq. 5, without the output's
    projection).
    """
    layer = _layer(ran, reading)
    assert layer.lengths is not None  # only models with visible values have this source
    return renormalise(
        ran.read(_together(layer.weights * layer.lengths[:, :, None, :], reading)), ran.mask
    )


def _evidence(ran: RecordedRun, reading: AttentionSource) -> Tokens:
    """``|Σ_h Σ_q α_hqt · ∂ log-odds / ∂α_hqt|``, as a share: the first-order contribution of a
    token to the prediction.
    """
    layer = _layer(ran, reading)
    assert layer.slopes is not None  # recorded for sources that need them
    return renormalise(_together(layer.weights * layer.slopes, reading).sum(1).abs(), ran.mask)


def _rollout(ran: RecordedRun, reading: AttentionSource) -> Tokens:
    """``Ã_L ⋯ Ã_1`` with ``Ã = (A + I) / 2``, A the mean of the heads (Abnar & Zuidema 2020,
    §3).
    """
    means = [ran.layers[number].weights.mean(1) for number in sorted(ran.layers)]
    flow = torch.eye(means[0].shape[-1], dtype=means[0].dtype, device=means[0].device)
    for one in means:
        flow = (one @ flow + flow) / 2
    return ran.read(flow) * ran.mask


def _mixture(ran: RecordedRun, reading: AttentionSource) -> Tokens:
    """``Σ_lh w_lh α_lh``, the shares w of the heads learned from other texts."""
    parts = [
        share * ran.read(ran.layers[layer].weights[:, head])
        for layer, of_heads in enumerate(reading.shares)
        for head, share in enumerate(of_heads)
        if share
    ]
    return torch.stack(parts).sum(0)


def _layer(ran: RecordedRun, reading: AttentionSource) -> LayerOutput:
    assert reading.layer is not None  # of these kinds
    return ran.layers[reading.layer]


def _together(by_head: Weights, reading: AttentionSource) -> Float[torch.Tensor, "B T T"]:
    return by_head.sum(1) if reading.head is None else by_head[:, reading.head]


VIEWS: Mapping[Kind, Callable[[RecordedRun, AttentionSource], Tokens]] = {
    "weights": _weights,
    "values": _values,
    "evidence": _evidence,
    "rollout": _rollout,
    "mixture": _mixture,
}
