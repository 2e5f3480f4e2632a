"""Every word deleted once, in closed form, where the states of a model do not see each other.

Deleting a word then takes one term out of two sums, of the weights and of the weighted token
logits. Each sum is what stands before the word and what stands after it: a total less the word has
no digits left where it had nearly all.
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
    """Give the logits without each token when the scores that are left are projected anew.

    Beside the largest score others may vanish, so the text without that one goes by itself.
    """
    top = scores.masked_fill(~mask, -torch.inf).argmax(dim=1, keepdim=True)
    weights = softmax(scores, mask)
    without_top = torch.einsum(
        "bt,btl->bl", softmax(scores, mask.scatter(1, top, False)), token_logits
    )
    places = top[:, :, None].expand(-1, -1, token_logits.shape[2])
    return under(weights, mask, token_logits).scatter(1, places, without_top[:, None])


def under(
    weights: Float[torch.Tensor, "B T"],
    mask: Bool[torch.Tensor, "B T"],
    token_logits: Float[torch.Tensor, "B T L"],
) -> Float[torch.Tensor, "B T L"]:
    """Give the logits without each token when the weights that are left are scaled; where none is,
    all count alike.
    """
    left = _without_each((weights * mask)[:, :, None])
    mixed = _without_each((weights * mask)[:, :, None] * token_logits)
    alike = uniform(mask, weights)[:, :, None]
    flat = _without_each(alike * token_logits) / _without_each(alike)
    return torch.where(left > 0, mixed / left.clamp(min=torch.finfo(left.dtype).tiny), flat)


def _without_each(terms: Float[torch.Tensor, "B T L"]) -> Float[torch.Tensor, "B T L"]:
    """Add up all terms of a text but one, for each."""
    return _before_each(terms) + _before_each(terms.flip(1)).flip(1)


def _before_each(terms: Float[torch.Tensor, "B T L"]) -> Float[torch.Tensor, "B T L"]:
    """Add up what comes before, without ever having added the term itself."""
    return torch.cat([torch.zeros_like(terms[:, :1]), terms[:, :-1].cumsum(dim=1)], dim=1)
