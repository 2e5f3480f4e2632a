"""From states, and a query where the model reads one, to one score a token."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Protocol

import torch
from jaxtyping import Float
from torch import nn

from sightline.errors import SpecError
from sightline.spec.parts import Part


class Additive(nn.Module):
    """``score_t = v · tanh(W₁ h_t + b₁ [+ W₂ q + b₂])`` (Bahdanau et al. 2015).

    Jain & Wallace 2019, §2; Wen et al. 2022, eq. 2, which prints no biases.
    """

    def __init__(self, states: int, query: int = 0, hidden: int = 0) -> None:
        super().__init__()
        width = hidden or max(1, states // 2)
        self.inner = nn.Linear(states, width)
        self.outer = nn.Linear(width, 1, bias=False)
        if query:
            self.asked = nn.Linear(query, width)

    def forward(
        self, states: Float[torch.Tensor, "B T P"], query: Float[torch.Tensor, "B H"] | None = None
    ) -> Float[torch.Tensor, "B T"]:
        """Score every token."""
        inner = self.inner(states) if query is None else self.inner(states) + self.asked(query)[:, None]
        scores: torch.Tensor = self.outer(torch.tanh(inner))
        return scores.squeeze(-1)


class Dot(nn.Module):
    """``score_t = w · h_t / √P`` with a learned vector; with a query ``h_t · q / √P`` (Wen et al. 2022, eq. 1 and 5).

    Without a query Wen et al. do not scale (``scaled=false``), Jain & Wallace do. ``start=normal`` draws w from
    N(0, 1): at torch's own start attention stays near uniform (Tutek & Šnajder 2020, app. C). With a query there is
    no w.
    """

    def __init__(self, states: int, query: int = 0, start: str = "uniform", scaled: bool = True) -> None:
        super().__init__()
        self.scale = 1 / math.sqrt(states) if scaled else 1.0
        if not query:
            self.vector = nn.Linear(states, 1, bias=False)
            if start == "normal":
                nn.init.normal_(self.vector.weight)

    def forward(
        self, states: Float[torch.Tensor, "B T P"], query: Float[torch.Tensor, "B H"] | None = None
    ) -> Float[torch.Tensor, "B T"]:
        """Score every token."""
        if query is not None:
            return torch.einsum("bth,bh->bt", states, query) * self.scale
        scores: torch.Tensor = self.vector(states).squeeze(-1) * self.scale
        return scores


class Deep(nn.Module):
    """``score_t = D(W_h h_t [+ W_q q])``, ``D(x) = W⁽ˢ⁾ ReLU(W⁽ˢ⁻¹⁾ … ReLU(W⁽¹⁾ ReLU(x)))`` (Wen et al. 2022, eq. 3–4).

    The paper gives neither s nor widths: two layers of half the state size are ours. The last layer has one row.
    """

    def __init__(self, states: int, query: int = 0, layers: int = 2, hidden: int = 0) -> None:
        super().__init__()
        width = hidden or max(1, states // 2)
        self.inner = nn.Linear(states, width)
        self.stack = nn.ModuleList(nn.Linear(width, width) for _ in range(layers - 1))
        self.outer = nn.Linear(width, 1, bias=False)
        if query:
            self.asked = nn.Linear(query, width)

    def forward(
        self, states: Float[torch.Tensor, "B T P"], query: Float[torch.Tensor, "B H"] | None = None
    ) -> Float[torch.Tensor, "B T"]:
        """Score every token."""
        inner = self.inner(states) if query is None else self.inner(states) + self.asked(query)[:, None]
        for layer in self.stack:
            inner = layer(torch.relu(inner))
        scores: torch.Tensor = self.outer(torch.relu(inner))
        return scores.squeeze(-1)


Scorer = Additive | Dot | Deep


class MakeScorer(Protocol):
    """Builds a scorer from its part, the width of what it scores and that of the query (0: there is none)."""

    def __call__(self, part: Part, states: int, query: int = 0) -> Scorer:
        """Build it."""
        ...


def _additive(part: Part, states: int, query: int = 0) -> Scorer:
    return Additive(states, query, **part.sizes(hidden=0))


def _dot(part: Part, states: int, query: int = 0) -> Scorer:
    chosen = part.only(start="uniform", scaled=True)
    if chosen["start"] not in ("uniform", "normal"):
        raise SpecError(f"{part}: expected start=uniform or start=normal, got {chosen['start']}")
    if query not in (0, states):
        raise SpecError(
            f"{part}: a dot product needs states as wide as the query, got {states} and {query}; "
            "concat widens the states: take residual, or another scorer"
        )
    return Dot(states, query, **chosen)


def _deep(part: Part, states: int, query: int = 0) -> Scorer:
    return Deep(states, query, **part.sizes(layers=2, hidden=0))


SCORERS: Mapping[str, MakeScorer] = {"additive": _additive, "dot": _dot, "deep": _deep}
"""Every scorer by the name it has in a spec."""
