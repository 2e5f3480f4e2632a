"""The bidirectional LSTM."""

from __future__ import annotations

import torch
from jaxtyping import Bool, Float
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class BiLSTM(nn.Module):
    """A bidirectional LSTM; ``hidden`` units in each direction, so states have twice as many."""

    def __init__(self, embedding: int, hidden: int, layers: int) -> None:
        super().__init__()
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
