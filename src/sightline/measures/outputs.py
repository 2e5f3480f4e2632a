"""What the model answers, and how sure it is: context for everything else."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sightline.measures.arrays import cluster_of, count_undefined, decided, predicted_probability, ragged, to_numpy
from sightline.measures.maps import Maps
from sightline.results import Measurement
from sightline.seeds import Seeds
from sightline.types import Arrays, Subject, Trace


@dataclass(frozen=True)
class Outputs:
    """Label, decision, the probability of the decision, and the attention that is to explain it."""

    code: str = "outputs"
    needs: frozenset[str] = frozenset()
    paper: str = ""

    def on_batch(self, subject: Subject, trace: Trace, seeds: Seeds) -> Arrays:
        """Read the answers off the logits, and the weights off the trace."""
        maps = Maps(subject, trace, seeds)
        words = maps.words
        logits, chosen = to_numpy(trace.logits), decided(trace)
        return {
            "label": to_numpy(trace.batch.labels),
            "predicted": chosen,
            "finite": to_numpy(trace.finite),
            "probability": predicted_probability(logits, chosen),
            "words": words.mask.sum(1),
            "cluster": np.array([cluster_of(text) for text in subject.texts], dtype=np.int64),
            "attention": ragged(maps["attention"], words.mask),
        }

    def finish(self, arrays: Arrays) -> Measurement:
        """Keep everything, and count the outputs that are no numbers."""
        return Measurement(self.code, arrays, count_undefined(arrays, {}))
