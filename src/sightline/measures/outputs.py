"""What the model answers, and how sure it is: context for everything else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sightline.measures.arrays import decided, predicted_probability, ragged, to_numpy, words
from sightline.results import Measurement
from sightline.seeds import Seeds
from sightline.types import Arrays, Auditable, Trace


@dataclass(frozen=True)
class Outputs:
    """Label, decision, the probability of the decision, and the weights that are shown."""

    code: str = "outputs"
    needs: frozenset[str] = frozenset()
    paper: str = ""
    split: Literal["test"] = "test"

    def on_batch(self, model: Auditable, trace: Trace, seeds: Seeds) -> Arrays:
        """Read the answers off the logits."""
        logits, chosen = to_numpy(trace.logits), decided(trace)
        return {
            "label": to_numpy(trace.batch.labels),
            "predicted": chosen,
            "probability": predicted_probability(logits, chosen),
            "words": to_numpy(trace.batch.attendable).sum(1),
            "attention": ragged(*words(trace)),
        }

    def finish(self, arrays: Arrays, seeds: Seeds) -> Measurement:
        """Keep everything; nothing here can be undefined."""
        return Measurement(self.code, arrays)
