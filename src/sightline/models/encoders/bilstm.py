"""The bidirectional LSTM."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from jaxtyping import Bool, Float, Int
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from sightline.models.fast.prefix_dedup import (
    DistinctPrefixes,
    DistinctVectors,
    TokenTypes,
    beginnings,
)
from sightline.models.fast.state_jacobian import state_gradients


class BiLSTM(nn.Module):
    """A bidirectional LSTM; ``hidden`` units in each direction, so states have twice as many."""

    def __init__(self, embedding: int, hidden: int, layers: int) -> None:
        super().__init__()
        self.lstm = nn.LSTM(
            embedding, hidden, num_layers=layers, bidirectional=True, batch_first=True
        )

    def forward(
        self, embeddings: Float[torch.Tensor, "B T E"], mask: Bool[torch.Tensor, "B T"]
    ) -> Float[torch.Tensor, "B T H"]:
        """Encode each text over its own length; a text without tokens gets zero states."""
        asked = embeddings.requires_grad or any(
            weight.requires_grad for weight in self.parameters()
        )
        # oneDNN has fast kernels for padded texts and none for packed ones (decision 0058).
        encode = self._one_way_at_a_time if torch.is_grad_enabled() and asked else self._packed
        # cuDNN refuses the gradient of an LSTM outside of training mode (pytorch/pytorch#15788).
        with torch.backends.cudnn.flags(enabled=torch.backends.cudnn.enabled and self.training):
            return encode(embeddings, mask) * mask[:, :, None]

    @property
    def shares(self) -> bool:
        """Tell whether there is one layer: states of a second layer have all read the whole text."""
        return self.lstm.num_layers == 1

    def distinct(self, types: TokenTypes) -> tuple[DistinctVectors, ...]:
        """Encode each distinct prefix of the texts once, and each distinct suffix."""
        there, back = self.lstm.all_weights
        turned = turning(types.mask)
        begun, ended = (
            beginnings(one, types.mask) for one in (types.number, types.number.gather(1, turned))
        )
        return (
            DistinctVectors(_advanced(types.embeddings, there, begun), begun.last, begun.at),
            DistinctVectors(
                _advanced(types.embeddings, back, ended), ended.last, ended.at.gather(1, turned)
            ),
        )

    @property
    def influences(self) -> bool:
        """Tell whether there is one layer: each direction of a second layer sees both directions of
        the first.
        """
        return self.lstm.num_layers == 1

    def influence(
        self,
        embeddings: Float[torch.Tensor, "B T E"],
        mask: Bool[torch.Tensor, "B T"],
        along: Float[torch.Tensor, "B T H"],
        own_gradient: Float[torch.Tensor, "B T E"],
    ) -> Float[torch.Tensor, "B T T"]:
        """Give ``‖∂(a_p · h_p) / ∂e_i‖₂`` for all states p and tokens i; ``own_gradient`` is added to the
        gradient by a state's own token.

        The forward direction has read the tokens before a state, the backward direction those after
        it; both have read its own token.
        """
        turned, (first, second) = turning(mask), (along * mask[:, :, None]).chunk(2, dim=2)
        weights = self.lstm.all_weights
        there = state_gradients(_by_time(embeddings), weights[0], _by_time(first))
        back = state_gradients(
            _by_time(_in_order(embeddings, turned)), weights[1], _by_time(_in_order(second, turned))
        )
        behind = back.lengths.permute(2, 1, 0)
        lengths = (
            there.lengths.permute(2, 1, 0) + _in_order(_in_order(behind, turned).mT, turned).mT
        )
        own = there.own.transpose(0, 1) + _in_order(back.own.transpose(0, 1), turned) + own_gradient
        return lengths.diagonal_scatter(torch.linalg.vector_norm(own, dim=2), dim1=1, dim2=2)

    def summary(
        self, states: Float[torch.Tensor, "B Q H"], mask: Bool[torch.Tensor, "B Q"]
    ) -> Float[torch.Tensor, "B H"]:
        """Join the last state of each direction: the forward one ends at the last token, the
        backward at the first.
        """
        forward, backward = states.chunk(2, dim=2)
        last = (mask.sum(1) - 1).clamp(min=0)[:, None, None].expand(-1, 1, forward.shape[2])
        return torch.cat([forward.gather(1, last)[:, 0], backward[:, 0]], dim=1)

    def _packed(
        self, embeddings: Float[torch.Tensor, "B T E"], mask: Bool[torch.Tensor, "B T"]
    ) -> Float[torch.Tensor, "B T H"]:
        lengths = mask.sum(1).clamp(min=1).cpu()
        packed = pack_padded_sequence(embeddings, lengths, batch_first=True, enforce_sorted=False)
        states, _ = self.lstm(packed)
        padded, _ = pad_packed_sequence(states, batch_first=True, total_length=embeddings.shape[1])
        return padded

    def _one_way_at_a_time(
        self, embeddings: Float[torch.Tensor, "B T E"], mask: Bool[torch.Tensor, "B T"]
    ) -> Float[torch.Tensor, "B T H"]:
        """Encode padded texts, with reversed texts for the backward direction: gradients of a
        packed LSTM cost half as much again.

        States of words do not depend on the padding, which comes last in both directions; a GPU
        need not wait for lengths.
        """
        turned, states = turning(mask), embeddings
        weights = (
            self.lstm.all_weights
        )  # for each layer the forward direction, then the backward one
        for forward, backward in zip(weights[::2], weights[1::2], strict=True):
            there = _one_way(states, forward)
            back = _one_way(_in_order(states, turned), backward)
            states = torch.cat([there, _in_order(back, turned)], dim=2)
        return states


def turning(mask: Bool[torch.Tensor, "B T"]) -> Int[torch.Tensor, "B T"]:
    """Give the indices that reverse each text within its own length; padding stays.

    >>> turning(torch.tensor([[True, True, True], [True, True, False]])).tolist()
    [[2, 1, 0], [1, 0, 2]]
    """
    lengths, places = mask.sum(1, keepdim=True), torch.arange(mask.shape[1], device=mask.device)
    return torch.where(places < lengths, lengths - 1 - places, places)


def _in_order(
    vectors: Float[torch.Tensor, "B T N"], order: Int[torch.Tensor, "B T"]
) -> Float[torch.Tensor, "B T N"]:
    return vectors.gather(1, order[:, :, None].expand_as(vectors))


def _by_time(vectors: Float[torch.Tensor, "B T N"]) -> Float[torch.Tensor, "T B N"]:
    return vectors.transpose(0, 1).contiguous()


def _one_way(
    inputs: Float[torch.Tensor, "B T N"], weights: Sequence[nn.Parameter]
) -> Float[torch.Tensor, "B T U"]:
    """Run one layer in one direction, from zero states."""
    used: list[torch.Tensor] = in_one_piece(weights) if inputs.is_cuda else [*weights]
    start = inputs.new_zeros(1, len(inputs), weights[1].shape[1])
    states: torch.Tensor = torch.lstm(
        inputs,
        (start, start),
        used,
        has_biases=True,
        num_layers=1,
        dropout=0.0,
        train=True,
        bidirectional=False,
        batch_first=True,
    )[0]
    return states


def _advanced(
    embeddings: Float[torch.Tensor, "V E"], weights: Sequence[nn.Parameter], texts: DistinctPrefixes
) -> Float[torch.Tensor, "M U"]:
    """Run one direction over the distinct prefixes, all of one length together, each from its
    parent prefix.

    The products with the embeddings are computed once for each distinct token. The gates are
    computed in place in a reused buffer, which stays in the processor's cache. torch takes
    four times as long for a float64 tanh as for the equal 2 σ(2x) − 1, which differs by 3e-16 at
    most.
    """
    from_token, from_state, bias, other = weights
    units = from_state.shape[1]
    order = _gates_in_order(units, embeddings.device)  # input, forget, output; then the candidate
    products = embeddings @ from_token[order].T + (bias + other)[order]
    turned = from_state[order].T.contiguous()
    for one in (products, turned):
        one[:, 3 * units :] *= 2  # so that one sigmoid serves all
    states = embeddings.new_empty(len(texts.last), units)
    widest = max(
        (after - before for before, after in zip(texts.ends, texts.ends[1:], strict=False)),
        default=0,
    )
    gates, cell = embeddings.new_empty(widest, 4 * units), embeddings.new_zeros(1, units)
    first = 0  # index of the prefixes that are one token shorter
    for start, end in zip(texts.ends, texts.ends[1:], strict=False):
        here, before = gates[: end - start], texts.before[start:end]
        torch.index_select(products, 0, texts.last[start:end], out=here)
        if start:
            here.addmm_(states.index_select(0, before), turned)
        cell = cell.index_select(0, before - first)
        into, keep, out, candidate = here.sigmoid_().chunk(4, dim=1)
        cell.mul_(keep).addcmul_(into, candidate, value=2).sub_(into)
        torch.mul(cell, 2, out=states[start:end]).sigmoid_().mul_(2).sub_(1).mul_(out)
        first = start
    return states


def _gates_in_order(units: int, device: torch.device) -> Int[torch.Tensor, " G"]:
    """Reorder the rows of torch's weights (input, forget, candidate, output) with the candidate
    last.
    """
    rows = torch.arange(4 * units, device=device)
    return torch.cat([rows[: 2 * units], rows[3 * units :], rows[2 * units : 3 * units]])


def in_one_piece(weights: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    """Give the same weights as views of one contiguous buffer, as cuDNN requires: it warns
    otherwise.
    """
    sizes = [weight.numel() for weight in weights]
    pieces = torch.split(torch.cat([weight.flatten() for weight in weights]), sizes)
    return [piece.view_as(weight) for piece, weight in zip(pieces, weights, strict=True)]
