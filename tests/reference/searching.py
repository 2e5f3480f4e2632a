"""The search of Jain & Wallace (2019) for attention far from the model's with the same
answer, from its text.

Several starts a text, uniform but for noise; Adam on minus the divergence, a penalty on the answer,
and minus the divergence of the starts from each other; of what it ends in, that which keeps the
answer and diverges most.
"""

from collections.abc import Callable

import torch

Decode = Callable[[torch.Tensor], torch.Tensor]
"""Weights, starts × texts × tokens, to probabilities of the second class, starts × texts."""
STARTS, STEPS, RATE, PENALTY = 5, 500, 0.01, 500.0


def divergence(p: torch.Tensor, q: torch.Tensor) -> torch.Tensor:
    """Jensen–Shannon along the last axis, with the little in the logarithm that keeps a gradient
    finite.
    """
    middle = ((p + q) / 2 + 1e-10).log()
    each = p * ((p + 1e-10).log() - middle) + q * ((q + 1e-10).log() - middle)
    return each.sum(-1) / 2


def search(
    decode: Decode,
    attention: torch.Tensor,
    mask: torch.Tensor,
    epsilon: float,
    seed: int = 0,
    steps: int = STEPS,
) -> torch.Tensor:
    """Give the attentions that the search ends in, starts × texts × tokens."""
    own = decode(attention[None])[0].detach()
    noise = torch.randn((STARTS, *attention.shape), generator=torch.Generator().manual_seed(seed))
    scores = (3 * noise - mask.sum(1).log()[:, None]).to(attention).requires_grad_()
    optimiser = torch.optim.Adam([scores], lr=RATE, amsgrad=True)
    for _ in range(steps):
        weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
        apart = divergence(weights[:, None], weights[None]).sum(-1).mean()
        moved = (decode(weights) - own).abs()
        loss = (PENALTY * (moved - epsilon).relu() - divergence(weights, attention)).sum() - apart
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return scores.detach().masked_fill(~mask, -torch.inf).softmax(-1)


def found(
    decode: Decode, weights: torch.Tensor, attention: torch.Tensor, epsilon: float
) -> torch.Tensor:
    """Give the largest divergence of those that keep each text's answer within ε; 0 where none
    does.
    """
    keeps = (decode(weights) - decode(attention[None])).abs() <= epsilon
    return torch.where(keeps, divergence(weights, attention), 0.0).amax(0)
