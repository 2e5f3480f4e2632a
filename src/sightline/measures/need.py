"""Is attention needed? The model with its weights replaced, and a model that never chose (SL-001)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from sightline.maths.projections import uniform
from sightline.maths.simplex import decision
from sightline.measures.arrays import count_undefined, decided, shuffled, to_numpy
from sightline.measures.words import like, words_of
from sightline.results import Measurement
from sightline.seeds import Seeds
from sightline.types import Arrays, Subject, Trace

Array = np.ndarray


@dataclass(frozen=True)
class Need:
    """Decisions under learned, uniform and permuted weights, with nothing else changed."""

    permutations: int = 10
    code: str = "need"
    needs: frozenset[str] = frozenset({"decode"})
    paper: str = "Tutek & Šnajder 2020, Table 1"

    def on_batch(self, subject: Subject, trace: Trace, seeds: Seeds) -> Arrays:
        """Decode each text once with uniform weights and ``permutations`` times with permuted ones."""
        model, words = subject.model, words_of(trace)
        drawn = shuffled(words.attention, words.mask, words.index, self.permutations, seeds, "need")
        permuted = [model.decode(trace, like(words.weights(weights), trace)) for weights in drawn]
        flat = model.decode(trace, uniform(trace.batch.attendable, trace.attention))
        again = to_numpy(model.decode(trace, trace.attention))
        return {
            "label": to_numpy(trace.batch.labels),
            "learned": decided(trace),
            "uniform": decision(to_numpy(flat)),
            "permuted": np.stack([decision(to_numpy(logits)) for logits in permuted], axis=1),
            # The proof that decoding is what the model does: its own attention must give its own logits.
            "identity_error": _largest_difference(again, to_numpy(trace.logits)),
        }

    def finish(self, arrays: Arrays) -> Measurement:
        """Keep everything; a decision is always defined."""
        return Measurement(self.code, arrays, count_undefined(arrays, {}), {"permutations": self.permutations})


def _largest_difference(x: Float[Array, "B L"], y: Float[Array, "B L"]) -> Float[Array, " B"]:
    """Equal logits differ by 0, also those of absent candidates: −∞ − (−∞) is not a number."""
    return np.asarray(np.abs(np.subtract(x, y, out=np.zeros(x.shape), where=x != y)).max(axis=1))


@dataclass(frozen=True)
class RetrainedUniform:
    """Decisions of a companion trained with every word weighted alike from the start."""

    code: str = "retrained"
    needs: frozenset[str] = frozenset({"companion.uniform"})
    paper: str = "Wiegreffe & Pinter 2019, §3.1"

    def on_batch(self, subject: Subject, trace: Trace, seeds: Seeds) -> Arrays:
        """Run the companion on the same texts."""
        other = subject.companions["uniform"].trace(trace.batch)
        return {
            "label": to_numpy(trace.batch.labels),
            "learned": decided(trace),
            "retrained": decided(other),
        }

    def finish(self, arrays: Arrays) -> Measurement:
        """Keep everything; a decision is always defined."""
        return Measurement(self.code, arrays)
