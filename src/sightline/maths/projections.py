"""From scores to attention: each projection maps the unmasked scores of a text to a distribution over its tokens."""

from __future__ import annotations

import torch
from jaxtyping import Bool, Float


def softmax(scores: Float[torch.Tensor, "B T"], mask: Bool[torch.Tensor, "B T"]) -> Float[torch.Tensor, "B T"]:
    """Exponentiate and normalise over the real tokens.

    Masked tokens get exactly 0; a row without real tokens is all zeros rather than NaN, so that one empty text
    cannot spoil its batch.
    """
    empty = ~mask.any(dim=1, keepdim=True)
    weights = torch.softmax(scores.masked_fill(~mask & ~empty, -torch.inf), dim=1)
    return weights * mask


def uniform(mask: Bool[torch.Tensor, "B T"], like: torch.Tensor) -> Float[torch.Tensor, "B T"]:
    """Give every real token the same weight; a row without real tokens is all zeros."""
    real = mask.to(like.dtype)
    return real / real.sum(dim=1, keepdim=True).clamp(min=1)


def renormalise(weights: Float[torch.Tensor, "B T"], mask: Bool[torch.Tensor, "B T"]) -> Float[torch.Tensor, "B T"]:
    """Scale the weights on real tokens to sum to one; where none is left, share equally among them."""
    kept = weights * mask
    total = kept.sum(dim=1, keepdim=True)
    return torch.where(total > 0, kept / total.clamp(min=torch.finfo(kept.dtype).tiny), uniform(mask, kept))
