"""What could any attention do to this decision? Exact, from token logits (SL-201)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sightline.maths.simplex import attention_proof, reach
from sightline.measures.arrays import count_undefined, ragged, to_numpy
from sightline.measures.maps import Maps
from sightline.results import Measurement
from sightline.seeds import Seeds
from sightline.types import Arrays, Subject, Trace


@dataclass(frozen=True)
class Reach:
    """Attention-proof texts, the largest change any attention could make, and texts where it stays below ε."""

    epsilon: float = 0.01
    code: str = "reach"
    needs: frozenset[str] = frozenset({"token_logits"})
    paper: str = "Jain & Wallace 2019, §4.2, made exact"

    def on_batch(self, subject: Subject, trace: Trace, seeds: Seeds) -> Arrays:
        """Ask the corners of the simplex; with more than two classes the reach is a bracket, low to high."""
        assert trace.token_logits is not None  # `needs` names them
        maps = Maps(subject, trace, seeds)
        z, mask = to_numpy(trace.token_logits), to_numpy(trace.batch.attendable)
        low, high = reach(z, mask, to_numpy(trace.logits))
        inert = np.where(high <= self.epsilon, 1.0, np.where(low > self.epsilon, 0.0, np.nan))
        return {
            "proof": attention_proof(z, mask).astype(float),
            "low": low,
            "high": high,
            "inert": inert,
            "evidence": ragged(maps["evidence"], maps.words.mask),
        }

    def finish(self, arrays: Arrays) -> Measurement:
        """Count the texts whose bracket holds ε, so that it cannot be said whether they are inert."""
        everywhere = np.ones(len(np.asarray(arrays["inert"])), dtype=bool)
        undefined = count_undefined(arrays, {"the bracket of the reach holds ε": everywhere})
        return Measurement(self.code, arrays, undefined, {"epsilon": self.epsilon})
