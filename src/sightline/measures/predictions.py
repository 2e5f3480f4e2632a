"""The predictions and their probabilities: context for everything else."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sightline.config.measure_needs import NEEDS, PAPERS
from sightline.core.protocols import Arrays, MeasureContext, Trace
from sightline.core.results import Measurement
from sightline.core.seeds import Seeds
from sightline.measures.attribution_maps import AttributionMaps
from sightline.measures.trace_arrays import (
    cluster_of,
    count_undefined,
    decided,
    predicted_probability,
    ragged,
)
from sightline.numerics.tensors import to_numpy


@dataclass(frozen=True)
class Predictions:
    """Label, prediction, its probability, and the attention that is to explain it."""

    code: str = "outputs"
    needs: frozenset[str] = NEEDS["outputs"]
    paper: str = PAPERS["outputs"]

    def on_batch(self, subject: MeasureContext, trace: Trace, seeds: Seeds) -> Arrays:
        """Read the predictions from the logits, and the weights from the trace."""
        maps = AttributionMaps(subject, trace, seeds)
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
        """Keep everything, and count the outputs that are not finite."""
        return Measurement(self.code, arrays, count_undefined(arrays, {}))
