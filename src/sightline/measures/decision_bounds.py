"""Could any attention change this prediction? Exact from token logits (SL-201); otherwise a lower
bound from all weight on single words.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sightline.config.measure_needs import NEEDS, PAPERS
from sightline.config.measure_registry import MEASURES
from sightline.core.protocols import Arrays, MeasureContext, Trace
from sightline.core.results import Measurement
from sightline.core.seeds import Seeds
from sightline.measures.attribution_maps import AttributionMaps
from sightline.measures.batch_words import words_of
from sightline.measures.decode_attention import NOT_AFFINE, Decoding
from sightline.measures.trace_arrays import count_undefined, ragged
from sightline.numerics.divergences import probabilities, total_variation
from sightline.numerics.simplex import attention_proof, decision, reach
from sightline.numerics.tensors import to_numpy

_SET = MEASURES["reach"].settings
EXACT = ("proof", "high", "inert", "evidence")
"""Quantities that need token logits: they are about any attention, beyond single words."""


@dataclass(frozen=True)
class DecisionBounds:
    """Texts whose prediction no attention can change, the largest change of the output that any
    attention makes, and texts where it stays below ε.

    If a model can only decode, all weight on each word in turn gives a lower bound of that change.
    Then it is unknown whether some attention changes the prediction of a text.
    """

    epsilon: float = _SET["epsilon"]
    code: str = "reach"
    needs: frozenset[str] = NEEDS["reach"]
    paper: str = PAPERS["reach"]

    def on_batch(self, subject: MeasureContext, trace: Trace, seeds: Seeds) -> Arrays:
        """Ask the corners of the simplex; with more than two classes the largest change is a
        bracket.
        """
        if trace.token_logits is None:
            return _found(subject, trace)
        maps = AttributionMaps(subject, trace, seeds)
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
        """Count the texts whose bracket contains ε: whether they stay below it is unknown."""
        everywhere = np.ones(len(np.asarray(arrays["low"])), dtype=bool)
        undefined = count_undefined(arrays, {"the bracket of the reach holds ε": everywhere})
        missing = dict.fromkeys((name for name in EXACT if name not in arrays), NOT_AFFINE)
        return Measurement(self.code, arrays, undefined, {"epsilon": self.epsilon}, missing=missing)


def _found(subject: MeasureContext, trace: Trace) -> Arrays:
    """Give the largest change by all weight on a single word: a lower bound."""
    words = words_of(trace)
    alone, own = Decoding(subject.model, trace, words).alone(), to_numpy(trace.logits)
    moved = total_variation(probabilities(alone), probabilities(own)[:, None, :])
    other = (decision(alone) != decision(own)[:, None]) & words.mask
    return {"low": np.where(words.mask, moved, 0.0).max(axis=1), "changed": other.any(axis=1)}
