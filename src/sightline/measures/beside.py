"""How far a model is from each of its companions: in what it answers, and in where its attention lies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sightline.maths.divergences import jensen_shannon, probabilities, total_variation
from sightline.measures.arrays import count_undefined, to_numpy
from sightline.measures.words import words_of
from sightline.results import Measurement
from sightline.seeds import Seeds
from sightline.types import ANY_COMPANION, Arrays, Subject, Trace


@dataclass(frozen=True)
class Beside:
    """Divergence of attention and change of the answer between the model and each companion, text by text.

    Of an adversary and its base they say what it was trained for; of two seeds, how far attention is from itself.
    """

    code: str = "beside"
    needs: frozenset[str] = frozenset({ANY_COMPANION})
    paper: str = "Wiegreffe & Pinter 2019, §3.3, §4; Meister et al. 2021, Table 5"

    def on_batch(self, subject: Subject, trace: Trace, seeds: Seeds) -> Arrays:
        """Run every companion on the same texts."""
        own, answers = words_of(trace), probabilities(to_numpy(trace.logits))
        out: dict[str, np.ndarray] = {}
        for name, companion in subject.companions.items():
            other = companion.trace(trace.batch)
            out[f"jsd.{name}"] = jensen_shannon(own.attention, words_of(other).attention)
            out[f"tvd.{name}"] = total_variation(answers, probabilities(to_numpy(other.logits)))
        return out

    def finish(self, arrays: Arrays) -> Measurement:
        """Count the texts on which a companion gives no numbers."""
        return Measurement(self.code, arrays, count_undefined(arrays, {}))
