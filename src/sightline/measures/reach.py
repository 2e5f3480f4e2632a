"""What could any attention do to this decision? Exact, from token logits (SL-201)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch

from sightline.maths.simplex import attention_proof, reach
from sightline.measures.arrays import count_undefined, decided, to_numpy
from sightline.measures.importance import log_odds
from sightline.results import Measurement, Ragged
from sightline.seeds import Seeds
from sightline.types import Arrays, Auditable, Trace


@dataclass(frozen=True)
class Reach:
    """Attention-proof texts, the largest change any attention could make, and texts where it stays below ε."""

    epsilon: float = 0.01
    code: str = "reach"
    needs: frozenset[str] = frozenset({"token_logits"})
    paper: str = "Jain & Wallace 2019, §4.2, made exact"
    split: Literal["test"] = "test"

    def on_batch(self, model: Auditable, trace: Trace, seeds: Seeds) -> Arrays:
        """Ask the corners of the simplex; with more than two classes the reach is a bracket, low to high."""
        assert trace.token_logits is not None  # `needs` names them
        z, mask = to_numpy(trace.token_logits), to_numpy(trace.batch.attendable)
        low, high = reach(z, mask, to_numpy(trace.logits))
        inert = np.where(high <= self.epsilon, 1.0, np.where(low > self.epsilon, 0.0, np.nan))
        return {
            "proof": attention_proof(z, mask).astype(float),
            "low": low,
            "high": high,
            "inert": inert,
            "evidence": _evidence(trace),
        }

    def finish(self, arrays: Arrays, seeds: Seeds) -> Measurement:
        """Count the texts whose bracket holds ε, so that it cannot be said whether they are inert."""
        everywhere = np.ones(len(np.asarray(arrays["inert"])), dtype=bool)
        undefined = count_undefined(arrays, {"the bracket of the reach holds ε": everywhere})
        return Measurement(self.code, arrays, undefined, {"epsilon": self.epsilon})


def _evidence(trace: Trace) -> Ragged:
    """Log-odds of the predicted class if a word alone were attended to: the page shows them, no finding uses them."""
    assert trace.token_logits is not None  # `needs` names them
    mask = trace.batch.attendable
    chosen = torch.from_numpy(decided(trace)).to(mask.device)[:, None].expand(mask.shape)
    return Ragged(to_numpy(log_odds(trace.token_logits[mask], chosen[mask])), to_numpy(mask.sum(1)))
