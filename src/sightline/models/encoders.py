"""From embeddings to hidden states; padding never reaches a real token's state."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import torch
from jaxtyping import Bool, Float
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from sightline.spec import Part


class MLP(nn.Module):
    """One affine layer and a tanh for each token: states do not see each other (the "Average" of Jain & Wallace)."""

    def __init__(self, embedding: int, hidden: int = 128) -> None:
        super().__init__()
        self.size = hidden
        self.affine = nn.Linear(embedding, hidden)

    def forward(
        self, embeddings: Float[torch.Tensor, "B T E"], mask: Bool[torch.Tensor, "B T"]
    ) -> Float[torch.Tensor, "B T H"]:
        """Encode each token by itself."""
        return torch.tanh(self.affine(embeddings)) * mask[:, :, None]


class BiLSTM(nn.Module):
    """A bidirectional LSTM; ``hidden`` units in each direction, so states have twice as many."""

    def __init__(self, embedding: int, hidden: int = 128, layers: int = 1) -> None:
        super().__init__()
        self.size = 2 * hidden
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


def _mlp(part: Part, embedding: int) -> MLP:
    return MLP(embedding, **part.sizes(hidden=128))


def _bilstm(part: Part, embedding: int) -> BiLSTM:
    return BiLSTM(embedding, **part.sizes(hidden=128, layers=1))


ENCODERS: Mapping[str, Callable[[Part, int], MLP | BiLSTM]] = {"bilstm": _bilstm, "mlp": _mlp}
"""Every encoder by the name it has in a spec, built from its part and the size of the embeddings."""
