"""Decoders: from the pooled context, and a query if there is one, to logits.

What every decoder guarantees (``tests/contract/test_parts.py``): a text has the same logits alone
and in any batch, with the type and device of its context. Gradients reach the context, the query
and every parameter. Inputs are not modified, and nothing is random. ``LinearDecoder`` is affine,
and so is ``LabelDecoder``, which has one context for each label. ``QueryDecoder`` gives −∞ to
exactly the answers that a text does not allow.
"""

from __future__ import annotations

import torch
from jaxtyping import Bool, Float
from torch import nn


class LinearDecoder(nn.Module):
    """One affine layer: a single logit for two classes, one logit a class for more.

    Because it is affine, it can be applied to each state before pooling, which gives the token
    logits (Tutek & Šnajder 2020, eq. 9).
    """

    def __init__(self, pooled: int, query: int, classes: int) -> None:
        super().__init__()
        self.affine = nn.Linear(pooled, 1 if classes == 2 else classes)

    def forward(self, pooled: Float[torch.Tensor, "*B P"]) -> Float[torch.Tensor, "*B L"]:
        """Decode pooled contexts, or states one by one."""
        logits: torch.Tensor = self.affine(pooled)
        return logits


class QueryDecoder(nn.Module):
    """``W₃ tanh(W₁ c + b₁ + W₂ q + b₂) + b₃``, one logit an answer (the code released with Jain &
    Wallace 2019).

    Answers that a text does not allow get −∞, so its candidates share the probability. Because of
    the tanh there are no token logits.
    """

    def __init__(self, pooled: int, query: int, classes: int) -> None:
        super().__init__()
        width = max(1, query // 2)
        self.context = nn.Linear(pooled, width)
        self.asked = nn.Linear(query, width)
        self.outer = nn.Linear(width, classes)

    def forward(
        self,
        pooled: Float[torch.Tensor, "B P"],
        query: Float[torch.Tensor, "B H"],
        candidates: Bool[torch.Tensor, "B C"] | None,
    ) -> Float[torch.Tensor, "B C"]:
        """Decode a context under a query, over the candidates if given."""
        logits: torch.Tensor = self.outer(torch.tanh(self.context(pooled) + self.asked(query)))
        return logits if candidates is None else logits.masked_fill(~candidates, -torch.inf)


class LabelDecoder(nn.Module):
    """``w_k · c_k + b_k``: a logit for each label from a context of its own (Mullenbach et al. 2018,
    eq. 4).

    ``affine`` of one vector gives the logits of all labels, as if each attended to it alone.
    """

    def __init__(self, pooled: int, query: int, classes: int) -> None:
        super().__init__()
        self.affine = nn.Linear(pooled, classes)

    def forward(self, pooled: Float[torch.Tensor, "*B K P"]) -> Float[torch.Tensor, "*B K"]:
        """Decode the context of each label."""
        logits: torch.Tensor = (pooled * self.affine.weight).sum(-1) + self.affine.bias
        return logits


Decoder = LinearDecoder | QueryDecoder | LabelDecoder
