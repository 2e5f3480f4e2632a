"""From embeddings to hidden states; padding never reaches a real token's state.

An encoder says how wide its states are (``size``), whether a state has read other tokens than its own (``contextual``),
and sums a query up in one vector (``summary``). States of padding are zero.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import torch
from jaxtyping import Bool, Float
from torch import nn
from torch.nn.functional import relu
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from sightline.errors import SpecError
from sightline.models.transformer import Transformer, masked_mean
from sightline.spec.parts import Part


class MLP(nn.Module):
    """One affine layer and a tanh for each token: states do not see each other (the "Average" of Jain & Wallace)."""

    def __init__(self, embedding: int, hidden: int = 128) -> None:
        super().__init__()
        self.size = hidden
        self.contextual = False
        self.affine = nn.Linear(embedding, hidden)

    def forward(
        self, embeddings: Float[torch.Tensor, "B T E"], mask: Bool[torch.Tensor, "B T"]
    ) -> Float[torch.Tensor, "B T H"]:
        """Encode each token by itself."""
        return torch.tanh(self.affine(embeddings)) * mask[:, :, None]

    def summary(
        self, states: Float[torch.Tensor, "B Q H"], mask: Bool[torch.Tensor, "B Q"]
    ) -> Float[torch.Tensor, "B H"]:
        """Average the states of real tokens (Jain & Wallace's code averages the padding in, too)."""
        return masked_mean(states, mask)


class BiLSTM(nn.Module):
    """A bidirectional LSTM; ``hidden`` units in each direction, so states have twice as many."""

    def __init__(self, embedding: int, hidden: int = 128, layers: int = 1) -> None:
        super().__init__()
        self.size = 2 * hidden
        self.contextual = True
        self.lstm = nn.LSTM(embedding, hidden, num_layers=layers, bidirectional=True, batch_first=True)

    def forward(
        self, embeddings: Float[torch.Tensor, "B T E"], mask: Bool[torch.Tensor, "B T"]
    ) -> Float[torch.Tensor, "B T H"]:
        """Encode each text over its own length; a text without tokens gets zero states."""
        lengths = mask.sum(1).clamp(min=1).cpu()
        packed = pack_padded_sequence(embeddings, lengths, batch_first=True, enforce_sorted=False)
        # cuDNN refuses the gradient of an LSTM outside of training mode (pytorch/pytorch#15788).
        with torch.backends.cudnn.flags(enabled=torch.backends.cudnn.enabled and self.training):
            states, _ = self.lstm(packed)
        padded, _ = pad_packed_sequence(states, batch_first=True, total_length=embeddings.shape[1])
        return padded * mask[:, :, None]

    def summary(
        self, states: Float[torch.Tensor, "B Q H"], mask: Bool[torch.Tensor, "B Q"]
    ) -> Float[torch.Tensor, "B H"]:
        """Join the last state of each direction: the forward one ends at the last token, the backward at the first."""
        forward, backward = states.chunk(2, dim=2)
        last = (mask.sum(1) - 1).clamp(min=0)[:, None, None].expand(-1, 1, forward.shape[2])
        return torch.cat([forward.gather(1, last)[:, 0], backward[:, 0]], dim=1)


class CNN(nn.Module):
    """Parallel convolutions of odd widths, each with ``channels`` outputs, joined, then ReLU (Jain & Wallace 2019)."""

    def __init__(self, embedding: int, kernels: tuple[int, ...] = (1, 3, 5, 7), channels: int = 32) -> None:
        super().__init__()
        self.size = channels * len(kernels)
        self.contextual = max(kernels) > 1
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


Encoder = BiLSTM | CNN | MLP | Transformer


def _bilstm(part: Part, embedding: int) -> BiLSTM:
    return BiLSTM(embedding, **part.sizes(hidden=128, layers=1))


def _cnn(part: Part, embedding: int) -> CNN:
    chosen = part.only(kernels="1-3-5-7", channels=32)
    widths = chosen["kernels"].split("-")
    if not all(width.isdecimal() and int(width) % 2 for width in widths):
        raise SpecError(f"{part}: expected odd widths of kernels such as 1-3-5-7, got {chosen['kernels']}")
    if chosen["channels"] < 1:
        raise SpecError(f"{part}: expected a positive channels, got {chosen['channels']}")
    return CNN(embedding, tuple(map(int, widths)), chosen["channels"])


def _mlp(part: Part, embedding: int) -> MLP:
    return MLP(embedding, **part.sizes(hidden=128))


def _transformer(part: Part, embedding: int) -> Transformer:
    return Transformer(embedding, **part.sizes(hidden=128, layers=2))


ENCODERS: Mapping[str, Callable[[Part, int], Encoder]] = {
    "bilstm": _bilstm,
    "cnn": _cnn,
    "mlp": _mlp,
    "transformer": _transformer,
}
"""Every encoder by the name it has in a spec, built from its part and the size of the embeddings."""
