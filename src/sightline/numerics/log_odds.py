"""Log-odds of a class: its logit against all other classes together."""

from __future__ import annotations

import torch
from jaxtyping import Float


def log_odds(logits: Float[torch.Tensor, "B L"], chosen: torch.Tensor) -> Float[torch.Tensor, " B"]:
    """``log p_c − log(1 − p_c)`` for the chosen class: the signed logit, or the logit against the
    sum of the others.

    The others are the candidates (an absent one has a logit of −∞). If there is none, the
    prediction is certain: the log-odds are infinite, with a gradient of zero.
    """
    if logits.shape[1] == 1:
        return torch.where(chosen == 1, logits[:, 0], -logits[:, 0])
    own = torch.nn.functional.one_hot(chosen, logits.shape[1]).bool()
    others = logits.masked_fill(own, -torch.inf)
    certain = torch.isneginf(others).all(dim=1)
    odds = logits[own] - others.masked_fill(certain[:, None], 0).logsumexp(dim=1)
    return odds.masked_fill(certain, torch.inf)


def log_odds_slope(
    logits: Float[torch.Tensor, "B L"], chosen: torch.Tensor
) -> Float[torch.Tensor, "B L"]:
    """``∂ log-odds / ∂s`` of the chosen class: ±1 with one logit; 0 for the logit of an absent
    candidate.
    """
    leaf = logits.detach().clone().requires_grad_()
    (slope,) = torch.autograd.grad(log_odds(leaf, chosen).sum(), leaf)
    return slope
