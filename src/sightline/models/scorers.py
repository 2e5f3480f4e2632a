"""Scorers: from states, and a query if the model reads one (else its width is 0), to one score for
each token.

What every scorer guarantees (``tests/contract/test_parts.py``): a token's score depends only on its
own state and the query of its text, not on the batch or the token's position. Scores have the type
and device of the states. They are finite for zero states, since padding is scored too. Gradients
reach states, query and every parameter. Without a query the scores are ``rest(first(states))``, and
``first`` is affine. Inputs are not modified, and nothing is random. A scorer of several labels has
one row of its ``last`` layer for each label, and ``rest`` gives a last axis of labels; the labels
share everything else.
"""

from __future__ import annotations

import math

import torch
from jaxtyping import Float
from torch import nn


class _ByLayers(nn.Module):
    """A first layer for states, one for queries, and a last layer with one row for each label."""

    inner: nn.Linear
    outer: nn.Linear
    asked: nn.Linear

    @property
    def first(self) -> nn.Linear:
        """The affine layer that reads the states; parts of a state can pass through it separately."""
        return self.inner

    def forward(
        self, states: Float[torch.Tensor, "B T P"], query: Float[torch.Tensor, "B H"] | None = None
    ) -> Float[torch.Tensor, "B *R T"]:
        """Score every token, for each row of the last layer."""
        return rows_first(
            self.rest(
                self.inner(states)
                if query is None
                else self.inner(states) + self.asked(query)[:, None]
            )
        )

    @property
    def last(self) -> nn.Linear:
        """The layer with a row for each label."""
        return self.outer

    def rest(self, inner: Float[torch.Tensor, "*B K"]) -> Float[torch.Tensor, "*BR"]:
        """Compute scores from the output of the first layer."""
        raise NotImplementedError


class Additive(_ByLayers):
    """``score_t = v · tanh(W₁ h_t + b₁ [+ W₂ q + b₂])`` (Bahdanau et al. 2015).

    As in Jain & Wallace 2019, and Wen et al. 2022, eq. 2, which has no biases.
    """

    def __init__(self, states: int, query: int, rows: int, hidden: int) -> None:
        super().__init__()
        width = hidden or max(1, states // 2)
        self.inner = nn.Linear(states, width)
        self.outer = nn.Linear(width, rows, bias=False)
        if query:
            self.asked = nn.Linear(query, width)

    def rest(self, inner: Float[torch.Tensor, "*B K"]) -> Float[torch.Tensor, "*BR"]:
        """Compute scores from the output of the first layer."""
        scores: torch.Tensor = self.outer(_tanh(inner))
        return one_or_rows(scores)


def _tanh(values: Float[torch.Tensor, "*B K"]) -> Float[torch.Tensor, "*B K"]:
    """Give tanh. In float64 torch takes four times as long for it as for the equal 2 σ(2x) − 1,
    which differs by 3e-16 at most; in place, so only where no gradient is asked.
    """
    if values.dtype != torch.float64 or (torch.is_grad_enabled() and values.requires_grad):
        return torch.tanh(values)
    return (2 * values).sigmoid_().mul_(2).sub_(1)


class Dot(nn.Module):
    """``score_t = w · h_t / √P`` with a learned vector; with a query ``h_t · q / √P`` (Wen et al.
    2022, eq. 1 and 5).

    Without a query Wen et al. do not scale (``scaled=false``), Jain & Wallace do. ``start=normal``
    draws w from N(0, 1): at torch's own start attention stays near uniform (Tutek & Šnajder 2020,
    app. C). With a query there is no w.
    """

    def __init__(self, states: int, query: int, rows: int, start: str, scaled: bool) -> None:
        super().__init__()
        self.scale = 1 / math.sqrt(states) if scaled else 1.0
        if not query:
            self.vector = nn.Linear(states, rows, bias=False)
            if start == "normal":
                nn.init.normal_(self.vector.weight)

    @property
    def first(self) -> nn.Linear:
        """The layer that reads the states, if there is no query."""
        return self.vector

    def forward(
        self, states: Float[torch.Tensor, "B T P"], query: Float[torch.Tensor, "B H"] | None = None
    ) -> Float[torch.Tensor, "B *R T"]:
        """Score every token, for each row of the last layer."""
        if query is not None:
            return torch.einsum("bth,bh->bt", states, query) * self.scale
        return rows_first(self.rest(self.vector(states)))

    @property
    def last(self) -> nn.Linear:
        """The only layer, with one row for each label."""
        return self.vector

    def rest(self, inner: Float[torch.Tensor, "*B K"]) -> Float[torch.Tensor, "*BR"]:
        """Reshape the output of the only layer to scores."""
        return one_or_rows(inner) * self.scale


class Deep(_ByLayers):
    """``score_t = D(W_h h_t [+ W_q q])``, ``D(x) = W⁽ˢ⁾ ReLU(W⁽ˢ⁻¹⁾ … ReLU(W⁽¹⁾ ReLU(x)))`` (Wen et
    al. 2022, eq. 3–4).

    The paper gives neither s nor widths: two layers of half the state size are our choice. The last
    layer has one row.
    """

    def __init__(self, states: int, query: int, rows: int, layers: int, hidden: int) -> None:
        super().__init__()
        width = hidden or max(1, states // 2)
        self.inner = nn.Linear(states, width)
        self.stack = nn.ModuleList(nn.Linear(width, width) for _ in range(layers - 1))
        self.outer = nn.Linear(width, rows, bias=False)
        if query:
            self.asked = nn.Linear(query, width)

    def rest(self, inner: Float[torch.Tensor, "*B K"]) -> Float[torch.Tensor, "*BR"]:
        """Compute scores from the output of the first layer."""
        for layer in self.stack:
            inner = layer(torch.relu(inner))
        scores: torch.Tensor = self.outer(torch.relu(inner))
        return one_or_rows(scores)


Scorer = Additive | Dot | Deep


def one_or_rows(scores: Float[torch.Tensor, "*B R"]) -> Float[torch.Tensor, "*BR"]:
    """Drop the axis of rows if there is one row."""
    return scores.squeeze(-1)


def rows_first(scores: Float[torch.Tensor, "B T *R"]) -> Float[torch.Tensor, "B *R T"]:
    """Move the axis of rows, if any, before the axis of tokens."""
    return scores.movedim(1, -1)
