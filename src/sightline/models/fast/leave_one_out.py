"""Leave-one-out in closed form, for models with independent states.

Deleting a word removes one term from two sums: the weights and the weighted token logits. Each sum
is computed from the terms before and after the word. Subtracting a dominant term from the total
would lose all digits.
"""

from __future__ import annotations

import torch
from jaxtyping import Bool, Float

from sightline.numerics.projections import softmax, uniform


def under_softmax(
    scores: Float[torch.Tensor, "B T"],
    mask: Bool[torch.Tensor, "B T"],
    token_logits: Float[torch.Tensor, "B T L"],
) -> Float[torch.Tensor, "B T L"]:
    """Give the logits without each token, applying softmax again to the remaining scores.

    Other scores may vanish next to the largest one, so the text without that word is computed
    separately.
    """
    top = scores.masked_fill(~mask, -torch.inf).argmax(dim=1, keepdim=True)
    weights = softmax(scores, mask)
    without_top = torch.einsum(
        "bt,btl->bl", softmax(scores, mask.scatter(1, top, False)), token_logits
    )
    places = top[:, :, None].expand(-1, -1, token_logits.shape[2])
    return logits_without_each(weights, mask, token_logits).scatter(1, places, without_top[:, None])


def logits_without_each(
    weights: Float[torch.Tensor, "B T"],
    mask: Bool[torch.Tensor, "B T"],
    token_logits: Float[torch.Tensor, "B T L"],
) -> Float[torch.Tensor, "B T L"]:
    """Give the logits without each token, rescaling the remaining weights; if all are zero, words
    count equally.
    """
    left = _without_each((weights * mask)[:, :, None])
    mixed = _without_each((weights * mask)[:, :, None] * token_logits)
    alike = uniform(mask, weights)[:, :, None]
    flat = _without_each(alike * token_logits) / _without_each(alike)
    return torch.where(left > 0, mixed / left.clamp(min=torch.finfo(left.dtype).tiny), flat)


def _without_each(terms: Float[torch.Tensor, "B T L"]) -> Float[torch.Tensor, "B T L"]:
    """For each term, sum all other terms of the text."""
    return _before_each(terms) + _before_each(terms.flip(1)).flip(1)


def _before_each(terms: Float[torch.Tensor, "B T L"]) -> Float[torch.Tensor, "B T L"]:
    """Sum the terms before each one, without subtracting the term itself."""
    return torch.cat([torch.zeros_like(terms[:, :1]), terms[:, :-1].cumsum(dim=1)], dim=1)
