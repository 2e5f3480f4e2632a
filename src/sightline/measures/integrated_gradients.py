"""Integrated gradients of words: summed on the way from a text without words to the text."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float

from sightline.core.protocols import Auditable, Trace
from sightline.measures.batch_words import words_of
from sightline.measures.trace_arrays import decided
from sightline.numerics.log_odds import log_odds
from sightline.numerics.tensors import to_numpy

Array = np.ndarray
STEPS = 32
"""Points on the way. For smooth models the error of the sum is then far below a hundredth of the
change of the log-odds."""


@dataclass(frozen=True)
class Path:
    """The signed attribution of each word (``along``), and the change of the log-odds from one end
    of the way to the other.

    The attribution is complete if both agree: ``gap`` is the sum over the words minus the change.
    """

    along: Float[Array, "B W"]
    moved: Float[Array, " B"]

    @property
    def gap(self) -> Float[Array, " B"]:
        """The sum over the words of each text minus the change of its log-odds."""
        return np.asarray(self.along.sum(axis=1) - self.moved)


def integrated(model: Auditable, trace: Trace) -> Path:
    """``(e_t − b_t) · (1/m) Σ_k ∂ log-odds / ∂e_t (b + (k − ½)/m · (e − b))`` of the predicted
    class for every word.

    Sundararajan et al. (2017, equation 3), at the midpoints of m steps. The baseline b has zeros
    for words and the embeddings of all other tokens, so that the words alone add up to the change.
    Attention changes along the way; the class is the prediction for the whole text.
    """
    whole = trace.embeddings.detach()
    of_words = torch.from_numpy(words_of(trace).place >= 0).to(whole.device)
    nothing = whole.masked_fill(of_words[:, :, None], 0)
    chosen = torch.from_numpy(decided(trace)).to(whole.device)
    gathered = torch.zeros(whole.shape, dtype=torch.float64)
    for step in range(STEPS):
        at = torch.lerp(nothing, whole, (step + 0.5) / STEPS).requires_grad_()
        (slope,) = torch.autograd.grad(
            log_odds(model.trace(trace.batch, at).logits, chosen).sum(), at
        )
        gathered += slope.cpu()
    along = ((whole - nothing).cpu().double() * gathered / STEPS).sum(-1)
    ends = (
        to_numpy(log_odds(logits, chosen))
        for logits in (trace.logits, model.trace(trace.batch, nothing).logits)
    )
    words = words_of(trace)
    return Path(words.of(to_numpy(along)) * words.mask, np.subtract(*ends))
