"""From the pooled context to logits."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import nn


class Linear(nn.Module):
    """One affine layer: a single logit for two classes, one logit a class for more.

    Being affine, it may be applied to each state before pooling instead: these are the token logits
    (Tutek & Šnajder 2020, eq. 9).
    """

    def __init__(self, pooled: int, classes: int) -> None:
        super().__init__()
        self.affine = nn.Linear(pooled, 1 if classes == 2 else classes)

    def forward(self, pooled: Float[torch.Tensor, "*B P"]) -> Float[torch.Tensor, "*B L"]:
        """Decode pooled contexts, or states one by one."""
        logits: torch.Tensor = self.affine(pooled)
        return logits
