"""Search by gradient for adversarial attention: far from the model's own, with the same output
(Jain & Wallace 2019).

Written from the paper, and where the released code differs, from its observed behaviour. Works for
any differentiable decoder. A search that finds nothing proves nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float

from sightline.numerics.projections import softmax
from sightline.numerics.tolerance import Tolerance

Decode = Callable[[Float[torch.Tensor, "K B T"]], Float[torch.Tensor, "K B L"]]
_TINY = 1e-30
"""Lower limit of a weight inside a logarithm, which keeps the logarithm of zero and masked weights
finite."""


@dataclass(frozen=True)
class DescentProblem:
    """The search problem: other attention under which ``decode`` gives the same logits as the
    model's own.
    """

    decode: Decode
    attention: Float[torch.Tensor, "B T"]
    mask: Bool[torch.Tensor, "B T"]
    logits: Float[torch.Tensor, "B L"]


@dataclass(frozen=True)
class Descent:
    """Settings of the gradient descent, and the penalty for leaving the tolerance.

    ``mutual`` also drives the points apart: by the mean divergence over all K × K ordered pairs, as
    released (the paper divides by K(K − 1)). The released code sums this mean over a batch. The sum
    separates by text, so texts are independent here.
    """

    steps: int = 500
    rate: float = 0.01
    strength: float = 500.0
    mutual: bool = True


def descend(
    task: DescentProblem, scores: Float[torch.Tensor, "K B T"], tolerance: Tolerance, how: Descent
) -> Float[torch.Tensor, "K B T"]:
    """Follow the gradient from K starts for each text. Adam (AMSGrad) moves each score by its own
    gradients only.

    The end points may lie outside the tolerance: leaving it costs a penalty, but is not forbidden.
    """
    free = scores.detach().clone().requires_grad_()
    # The gradients are with respect to the scores only, so the model's parameters receive none.
    optimiser = torch.optim.Adam([free], lr=how.rate, amsgrad=True)
    own = answers(task.logits).detach()
    first, second, weights = _pairs(len(free), how.mutual)
    for _ in range(how.steps):
        points = attend(free, task.mask)
        moved = tolerance.apart(answers(task.decode(points)), own)
        far = _divergences(torch.cat([task.attention[None], points]), first, second).sum(
            dim=1
        ) @ weights.to(points)
        loss = how.strength * torch.relu(moved - tolerance.epsilon).sum() - far
        (free.grad,) = torch.autograd.grad(loss, [free])
        optimiser.step()
    return attend(free, task.mask).detach()


def attend(
    scores: Float[torch.Tensor, "K B T"], mask: Bool[torch.Tensor, "B T"]
) -> Float[torch.Tensor, "K B T"]:
    """Turn scores into attention over the real words."""
    texts, words = mask.shape
    flat = softmax(scores.reshape(-1, words), mask.repeat(len(scores), 1))
    return flat.reshape(len(scores), texts, words)


def answers(logits: Float[torch.Tensor, "*B L"]) -> Float[torch.Tensor, "*B C"]:
    """Turn logits into probabilities, so that gradients flow
    (`sightline.numerics.divergences.probabilities`).
    """
    if logits.shape[-1] == 1:
        return torch.cat([torch.sigmoid(-logits), torch.sigmoid(logits)], dim=-1)
    return torch.softmax(logits, dim=-1)


def _pairs(starts: int, mutual: bool) -> tuple[list[int], list[int], torch.Tensor]:
    """List pairs with weights: 1 with the model's own attention, which comes first, and 2 / K² for
    two other points.
    """
    first, second = np.triu_indices(starts + 1, k=1)
    kept = (first == 0) | mutual
    weights = np.where(first == 0, 1.0, 2.0 / starts**2)
    return first[kept].tolist(), second[kept].tolist(), torch.from_numpy(weights[kept])


def _divergences(
    points: Float[torch.Tensor, "K B T"], first: list[int], second: list[int]
) -> Float[torch.Tensor, "P B"]:
    """Jensen–Shannon divergence of pairs, ``H(m) − ½ H(p) − ½ H(q)``, m the mean of the two."""
    alone = _entropy(points)
    return _entropy((points[first] + points[second]) / 2) - (alone[first] + alone[second]) / 2


def _entropy(points: Float[torch.Tensor, "*K T"]) -> Float[torch.Tensor, "*K"]:
    found: torch.Tensor = torch.special.entr(points.clamp_min(_TINY)).sum(-1)
    return found
