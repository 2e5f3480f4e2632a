"""Which layer's attention does the model need? Each layer in turn with weights that ignore the
text.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sightline.config.measure_needs import NEEDS, PAPERS
from sightline.config.measure_registry import MEASURES
from sightline.core.protocols import Arrays, MeasureContext, SupportsLayers, Survey, Trace
from sightline.core.results import Measurement
from sightline.core.seeds import Seeds
from sightline.measures.trace_arrays import count_undefined, decided
from sightline.numerics.divergences import probabilities, total_variation
from sightline.numerics.simplex import decision
from sightline.numerics.tensors import to_numpy

_SET = MEASURES["layers"].settings
ALL = "all"
"""Stands for the layer's number where every layer is replaced."""


@dataclass(frozen=True)
class LayerAblation:
    """Change of the output when all heads and rows of a layer get uniform weights, or the mean
    weights of the audited texts.

    Nothing is trained again, so this measures what this model needs. Another model might do the
    task without. ``sums`` hold the weights of the surveyed texts until they are averaged, and are
    empty afterwards.
    """

    sums: list[Any] = field(default_factory=list, compare=False, repr=False)
    code: str = "layers"
    needs: frozenset[str] = NEEDS["layers"]
    paper: str = PAPERS["layers"]
    surveys: Survey = _SET["surveys"]

    def look(self, subject: MeasureContext, trace: Trace, seeds: Seeds) -> Arrays:
        """Add up the weights of the texts."""
        assert isinstance(subject.model, SupportsLayers)  # `needs` names it
        self.sums[:] = subject.model.added_weights(trace.batch, self.sums)
        return {"seen": np.ones(len(trace.batch))}

    def learn(self, arrays: Arrays, seeds: Seeds) -> list[Any]:
        """Average the weights."""
        found = [one.means for one in self.sums]
        self.sums.clear()
        return found

    def on_batch(self, subject: MeasureContext, trace: Trace, seeds: Seeds) -> Arrays:
        """Replace the weights of each layer, and of all together."""
        model, means = subject.model, subject.learned
        assert isinstance(model, SupportsLayers)
        own, chosen = probabilities(to_numpy(trace.logits)), decided(trace)
        out: dict[str, np.ndarray] = {}
        for layer in (*range(model.layers), None):
            name = ALL if layer is None else str(layer)
            for kind, filling in (("uniform", None), ("constant", means)):
                logits = to_numpy(model.without_choice(trace.batch, layer, filling))
                out[f"{kind}.{name}"] = total_variation(probabilities(logits), own)
                out[f"{kind}_changed.{name}"] = (decision(logits) != chosen).astype(float)
        return out

    def finish(self, arrays: Arrays) -> Measurement:
        """Every text has every number."""
        return Measurement(self.code, arrays, count_undefined(arrays, {}))
