"""Gradients of each state with respect to each token, from few passes over the text.

The direct way needs one backward pass over the whole text for each state. In an LSTM, the adjoints
of all later states go back together in one matrix product per step, and a state skips the tokens
that it has not read. States that read only their neighbours share a pass if their neighbourhoods do
not overlap. `sightline.models.fast.transformer_jacobian` handles Transformers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import torch
from jaxtyping import Bool, Float


@runtime_checkable
class EncoderInfluence(Protocol):
    """An encoder that computes the gradients of all its states at once.

    The numbers equal those of one backward pass for each state. ``own_gradient`` is zero on padding. Then
    every number for a padded state or token is zero, and a text without tokens has only zeros.
    Inputs and parameter gradients are not modified.
    """

    @property
    def influences(self) -> bool:
        """Tell whether this works at the current sizes."""
        ...

    def influence(
        self,
        embeddings: Float[torch.Tensor, "B T E"],
        mask: Bool[torch.Tensor, "B T"],
        along: Float[torch.Tensor, "B T H"],
        own_gradient: Float[torch.Tensor, "B T E"],
    ) -> Float[torch.Tensor, "B T T"]:
        """Give ``‖∂(a_p · h_p) / ∂e_i‖₂`` for all states p and tokens i; ``own_gradient`` is added to the
        gradient by a state's own token.
        """
        ...


def windowed_influence(
    encode: Callable[[torch.Tensor, torch.Tensor], torch.Tensor],
    reach: int,
    embeddings: Float[torch.Tensor, "B T E"],
    mask: Bool[torch.Tensor, "B T"],
    along: Float[torch.Tensor, "B T H"],
    own_gradient: Float[torch.Tensor, "B T E"],
) -> Float[torch.Tensor, "B T T"]:
    """Compute `EncoderInfluence.influence` for states that read ``reach`` tokens to either side,
    one pass for each offset.
    """
    length, width = embeddings.shape[1], 2 * reach + 1
    lengths, token = along.new_zeros(*mask.shape, length), torch.arange(length, device=mask.device)
    read = embeddings.detach().requires_grad_()
    with torch.enable_grad():
        numbers = (along * encode(read, mask)).sum(2)
        asked = [numbers[:, first::width].sum() for first in range(min(width, length))]
    for first, number in enumerate(asked):
        (gradient,) = torch.autograd.grad(number, read, retain_graph=True)
        state = first + width * torch.div(
            token - first + reach, width, rounding_mode="floor"
        )  # the state that reads the token
        there = (state >= 0) & (state < length)
        size = torch.linalg.vector_norm(gradient + own_gradient * (state == token)[:, None], dim=2)
        lengths[:, state[there], token[there]] = size[:, there]
    return lengths


@dataclass(frozen=True)
class StateGradients:
    """Gradients of states with respect to earlier tokens: their ``lengths`` (token, state), and the
    gradients of each state by its ``own`` token.
    """

    lengths: Float[torch.Tensor, "T T B"]
    own: Float[torch.Tensor, "T B E"]


def state_gradients(
    embeddings: Float[torch.Tensor, "T B E"],
    weights: Sequence[torch.Tensor],
    along: Float[torch.Tensor, "T B U"],
) -> StateGradients:
    """Take ``∂(a_p · h_p) / ∂e_i`` of one layer and direction, for all p ≥ i; gradients by the own
    token are kept as vectors.

    At step t, with ``h = o ⊙ tanh(c)`` and ``c = f ⊙ c₋ + i ⊙ n``, the adjoint of a later state
    adds ``dh ⊙ o (1 − tanh² c)`` to the adjoint of the cell. Then ``∂ / ∂gates`` is ``dc`` or
    ``dh`` times a slope for each gate, and the weights carry it to the previous state and to the
    token.
    """
    from_token, from_state = weights[0], weights[1]
    (length, texts, size), units = embeddings.shape, from_state.shape[1]
    slopes, into_cell, kept = _slopes(embeddings, weights)
    state, cell = along.clone(), torch.zeros_like(along)
    gates, token = along.new_empty(length, texts, 4, units), along.new_empty(length, texts, size)
    lengths, own = along.new_zeros(length, length, texts), torch.empty_like(embeddings)
    for t in reversed(range(length)):
        dh, dc, d, de = (
            state[t:],
            cell[t:],
            gates[t:],
            token[t:],
        )  # the adjoints of this state and of all later ones
        dc.addcmul_(dh, into_cell[t])
        torch.mul(dc[:, :, None], slopes[t, :, :3], out=d[:, :, :3])
        torch.mul(dh, slopes[t, :, 3], out=d[:, :, 3])
        torch.mm(d.view(-1, 4 * units), from_token, out=de.view(-1, size))
        torch.mm(d.view(-1, 4 * units), from_state, out=dh.view(-1, units))
        dc.mul_(kept[t])
        own[t] = de[0]
        torch.linalg.vector_norm(de[1:], dim=2, out=lengths[t, t + 1 :])
    return StateGradients(lengths, own)


def _slopes(
    embeddings: Float[torch.Tensor, "T B E"], weights: Sequence[torch.Tensor]
) -> tuple[
    Float[torch.Tensor, "T B 4 U"], Float[torch.Tensor, "T B U"], Float[torch.Tensor, "T B U"]
]:
    """Run the layer, and give its slopes: of the gates (input, forget, candidate, output), into the
    cell, and through the forget gate.
    """
    from_token, from_state, bias, other = weights
    units, turned = from_state.shape[1], from_state.T.contiguous()
    gates = embeddings @ from_token.T + (bias + other)
    state = cell = embeddings.new_zeros(embeddings.shape[1], units)
    cells = [cell]
    for here in gates:
        here.addmm_(state, turned)
        here[:, : 2 * units].sigmoid_()
        here[:, 2 * units : 3 * units].tanh_()
        here[:, 3 * units :].sigmoid_()
        i, f, n, o = here.chunk(4, dim=1)
        cell = f * cell + i * n
        cells.append(cell)
        state = o * cell.tanh()
    i, f, n, o = gates.chunk(4, dim=2)
    before, squashed = torch.stack(cells[:-1]), torch.stack(cells[1:]).tanh()
    slopes = [i * (1 - i) * n, f * (1 - f) * before, (1 - n * n) * i, o * (1 - o) * squashed]
    return torch.stack(slopes, dim=2), o * (1 - squashed * squashed), f
