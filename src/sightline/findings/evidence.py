"""The measurements of one audit, as the findings read them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from sightline.findings.thresholds import Thresholds
from sightline.results import Failed, Measurement, NotApplicable, Outcome

Array = np.ndarray


@dataclass(frozen=True)
class Evidence:
    """Everything a finding may look at."""

    outcomes: Mapping[str, Outcome]
    label_names: tuple[str, ...]
    thresholds: Thresholds
    seed: int

    def taken(self, measure: str) -> Measurement | None:
        """Give the measurement, or nothing when it was not taken."""
        outcome = self.outcomes.get(measure)
        return outcome if isinstance(outcome, Measurement) else None

    def why_not(self, measure: str) -> str:
        """Say why a measure was not taken."""
        outcome = self.outcomes.get(measure)
        if isinstance(outcome, NotApplicable):
            return outcome.reason
        return f"the measure failed: {outcome.error}" if isinstance(outcome, Failed) else "it was not asked for"

    @property
    def predicted(self) -> Int[Array, " N"]:
        """The predicted class of every text."""
        return self.array("outputs", "predicted").astype(np.int64)

    def array(self, measure: str, quantity: str) -> Float[Array, "N *R"] | Int[Array, "N *R"]:
        """Give one raw array of a measurement that was taken."""
        measurement = self.taken(measure)
        assert measurement is not None  # callers have asked `taken` first
        return np.asarray(measurement.values[quantity])

    def by_class(self) -> dict[str, Array]:
        """Mark the texts of each predicted class that occurs."""
        present = np.unique(self.predicted)
        return {self.label_names[c]: self.predicted == c for c in present}
