"""Projections from scores to attention: each maps the unmasked scores of a text to a distribution
over its tokens.

All take scores and a mask of shape ``B T``. A masked token gets exactly 0. A row without real
tokens is all zeros rather than NaN, so that one empty text cannot spoil its batch.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from entmax import entmax15, entmax_bisect  # type: ignore[import-untyped]
from entmax import sparsemax as unmasked_sparsemax
from jaxtyping import Bool, Float


def softmax(
    scores: Float[torch.Tensor, "B T"], mask: Bool[torch.Tensor, "B T"]
) -> Float[torch.Tensor, "B T"]:
    """Exponentiate and normalise over the real tokens; every real token gets a positive weight."""
    empty = ~mask.any(dim=1, keepdim=True)
    weights = torch.softmax(scores.masked_fill(~mask & ~empty, -torch.inf), dim=1)
    return weights * mask


def sparsemax(
    scores: Float[torch.Tensor, "B T"], mask: Bool[torch.Tensor, "B T"]
) -> Float[torch.Tensor, "B T"]:
    """Take the nearest point of the simplex, ``argmin_p ‖p − z‖²`` (Martins & Astudillo 2016)."""
    return _over_real(unmasked_sparsemax, scores, mask)


def sparsegen(
    scores: Float[torch.Tensor, "B T"], mask: Bool[torch.Tensor, "B T"], strength: float
) -> Float[torch.Tensor, "B T"]:
    """Regularise sparsity with λ < 1: ``argmin_p ‖p − z‖² − λ‖p‖²``, the sparsemax of ``z / (1 −
    λ)``.

    λ is an inverse temperature: 0 is sparsemax; towards 1 the largest score takes all weight,
    towards −∞ all weights are equal (Laha et al. 2018; Meister et al. 2021, eq. 3).
    """
    return sparsemax(scores / (1 - strength), mask)


def entmax(
    scores: Float[torch.Tensor, "B T"],
    mask: Bool[torch.Tensor, "B T"],
    alpha: float | Float[torch.Tensor, ""],
) -> Float[torch.Tensor, "B T"]:
    """Maximise ``p · z + H_α(p)``, H_α Tsallis' entropy: softmax at α = 1, sparsemax at α = 2
    (Peters et al. 2019).

    α may be a learned tensor, which must stay within (1, 2) (Correia et al. 2019).
    """
    # Bisection only approaches its limits at the ends; at 1.5 there is a closed form.
    exact: dict[float, Callable[..., torch.Tensor]] = {1.0: softmax, 2.0: sparsemax}
    if not isinstance(alpha, torch.Tensor) and alpha in exact:
        return exact[alpha](scores, mask)
    if alpha == 1.5 and not isinstance(alpha, torch.Tensor):
        return _over_real(entmax15, scores, mask)
    return _over_real(lambda values: _bisected(values, alpha), scores, mask)


def gumbel_softmax(
    scores: Float[torch.Tensor, "B T"], mask: Bool[torch.Tensor, "B T"], temperature: float
) -> Float[torch.Tensor, "B T"]:
    """Soften or sharpen scores that carry Gumbel noise: ``softmax((z + g) / temperature)`` (Jang et
    al. 2017).

    The caller adds the noise (`gumbel`), because only the caller knows whether it is wanted.
    """
    return softmax(scores / temperature, mask)


def gumbel(exponential: torch.Tensor) -> torch.Tensor:
    """Turn standard exponential draws into standard Gumbel ones: ``g = −log e``."""
    return -exponential.clamp(min=torch.finfo(exponential.dtype).tiny).log()


def uniform(
    mask: Bool[torch.Tensor, "*N B T"], like: torch.Tensor
) -> Float[torch.Tensor, "*N B T"]:
    """Give every real token the same weight; a row without real tokens is all zeros."""
    real = mask.to(like.dtype)
    return real / real.sum(dim=-1, keepdim=True).clamp(min=1)


def renormalise(
    weights: Float[torch.Tensor, "*N B T"], mask: Bool[torch.Tensor, "*M B T"]
) -> Float[torch.Tensor, "*N B T"]:
    """Scale the weights of real tokens to sum to one; if all are zero, share equally."""
    kept = weights * mask
    total = kept.sum(dim=-1, keepdim=True)
    return torch.where(
        total > 0, kept / total.clamp(min=torch.finfo(kept.dtype).tiny), uniform(mask, kept)
    )


def _over_real(
    project: Callable[[torch.Tensor], torch.Tensor], scores: torch.Tensor, mask: torch.Tensor
) -> torch.Tensor:
    """Project over the real tokens; a row without any is all zeros.

    If the largest score of a row is NaN or infinite, its weights are NaN, as with softmax; a search
    for the support would fail.
    """
    empty = ~mask.any(dim=1, keepdim=True)
    real = scores.masked_fill(~mask, -torch.inf)
    lost = ~real.amax(dim=1, keepdim=True).isfinite()
    weights = project(real.masked_fill(lost, 0.0)) * mask
    return weights.masked_fill(lost & ~empty, torch.nan)


def _bisected(values: torch.Tensor, alpha: float | torch.Tensor) -> torch.Tensor:
    """Find entmax's threshold in double precision: near α = 1 its rounding error is raised to the
    power ``1 / (α − 1)``.
    """
    wide = alpha.double() if isinstance(alpha, torch.Tensor) else alpha
    weights: torch.Tensor = entmax_bisect(values.double(), alpha=wide, dim=1).to(values.dtype)
    return weights
