"""The embedding table, with a lookup that training can replace."""

from __future__ import annotations

from collections.abc import Callable

import torch
from jaxtyping import Float, Int
from torch import nn

Reader = Callable[[torch.Tensor], torch.Tensor]
"""Looks up the embeddings of ids."""


class EmbeddingTable(nn.Embedding):
    """Torch's embedding table; a ``reader``, if set, does the lookup."""

    reader: Reader | None = None

    def forward(self, input: Int[torch.Tensor, "*B T"]) -> Float[torch.Tensor, "*B T E"]:
        """Look up the embeddings of ids."""
        return super().forward(input) if self.reader is None else self.reader(input)
