"""Projections as parts of a model: the functions of `numerics.projections` with settings, a
parameter or noise.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import nn

from sightline.core.protocols import Batch
from sightline.core.seeds import seed_for
from sightline.models.attention import drawn_by_word
from sightline.numerics import projections

Fixed = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
MARGIN = 0.01
"""Minimum distance of a learned α from 1 and 2, where its gradient is undefined or zero (Correia et
al. 2019)."""


class Projector(nn.Module):
    """A projection without parameters or noise.

    What every projection guarantees (``tests/contract/test_parts.py``): weights are at least 0 and
    sum to 1 over the tokens of the mask. A masked token gets exactly 0, whatever its score. A text
    without tokens gets zeros. A larger score never gets a smaller weight. A text has the same
    weights alone and in any batch. Gradients reach the scores, are finite, and are zero at masked
    tokens. Weights have the type and device of the scores, which are not modified. Noise depends on
    the seed only, and is added at test time only on request.
    """

    def __init__(self, project: Fixed | None = None) -> None:
        super().__init__()
        self.project = project

    def forward(
        self, scores: Float[torch.Tensor, "B T"], mask: Bool[torch.Tensor, "B T"]
    ) -> Float[torch.Tensor, "B T"]:
        """Turn scores into weights."""
        assert self.project is not None  # subclasses without it override forward
        return self.project(scores, mask)

    def disturb(
        self, scores: Float[torch.Tensor, "B T"], batch: Batch
    ) -> Float[torch.Tensor, "B T"]:
        """Leave the scores as they are."""
        return scores


class LearnedEntmax(Projector):
    """Entmax whose α is a parameter, 1 + σ(θ) (Correia et al. 2019), with σ(θ) drawn in by a margin
    so that α stays within (1, 2).
    """

    def __init__(self, alpha: float) -> None:
        super().__init__()
        share = (torch.tensor(alpha) - 1 - MARGIN) / (1 - 2 * MARGIN)
        self.theta = nn.Parameter(share.clamp(MARGIN, 1 - MARGIN).logit())

    @property
    def alpha(self) -> Float[torch.Tensor, ""]:
        """The current α."""
        return 1 + MARGIN + (1 - 2 * MARGIN) * torch.sigmoid(self.theta)

    def forward(
        self, scores: Float[torch.Tensor, "B T"], mask: Bool[torch.Tensor, "B T"]
    ) -> Float[torch.Tensor, "B T"]:
        """Turn scores into weights."""
        return projections.entmax(scores, mask, self.alpha)


@dataclass(frozen=True)
class Noise:
    """Settings of Gumbel noise: its seed, and whether it is added at test time too."""

    seed: int
    at_test: bool


class Gumbel(Projector):
    """Softmax of noisy scores at a temperature (Jang et al. 2017; Wen et al. 2022, §5.3).

    In training, noise depends on the seed and the number of batches so far. At test time there is
    none unless requested; then each word has its own noise, independent of its batch and of
    deletions.
    """

    def __init__(self, temperature: float, noise: Noise) -> None:
        super().__init__()
        self.temperature = temperature
        self.noise = noise
        self.batches = 0

    def forward(
        self, scores: Float[torch.Tensor, "B T"], mask: Bool[torch.Tensor, "B T"]
    ) -> Float[torch.Tensor, "B T"]:
        """Turn scores, with noise in training, into weights."""
        return projections.gumbel_softmax(scores, mask, self.temperature)

    def disturb(
        self, scores: Float[torch.Tensor, "B T"], batch: Batch
    ) -> Float[torch.Tensor, "B T"]:
        """Add noise at test time if requested."""
        if self.training:
            # Drawn on the CPU: another device draws other numbers from the same seed.
            generator = torch.Generator().manual_seed(
                seed_for(self.noise.seed, "gumbel", self.batches)
            )
            self.batches += 1
            drawn = torch.empty_like(scores, device="cpu").exponential_(generator=generator)
            return scores + projections.gumbel(drawn.to(scores.device))
        if self.noise.at_test:
            return scores + drawn_by_word(_gumbel, self.noise.seed, "gumbel at test", batch).to(
                scores
            )
        return scores


def _gumbel(generator: np.random.Generator, words: int) -> np.ndarray:
    return generator.gumbel(size=words)


def softmax(seed: int) -> Projector:
    """Build softmax: every token gets a weight."""
    return Projector(projections.softmax)


def sparsemax(seed: int) -> Projector:
    """Build sparsemax: the nearest weights."""
    return Projector(projections.sparsemax)


def sparsegen(seed: int, **options: float) -> Projector:
    """Build sparsegen; ``lambda`` is a Python keyword, so it comes in ``options``."""
    return Projector(lambda scores, mask: projections.sparsegen(scores, mask, options["lambda"]))


def entmax(seed: int, alpha: float, learned: bool) -> Projector:
    """Build entmax, between softmax and sparsemax."""
    return (
        LearnedEntmax(alpha)
        if learned
        else Projector(lambda scores, mask: projections.entmax(scores, mask, alpha))
    )


def gumbel_softmax(seed: int, temperature: float, test_noise: bool) -> Projector:
    """Build the softmax of noisy scores."""
    return Gumbel(temperature, Noise(seed, test_noise))
