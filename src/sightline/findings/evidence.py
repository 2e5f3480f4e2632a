"""The measurements of one audit and every estimate made of them: each once, under one name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Float, Int

from sightline.findings.claim import Claim, Shown
from sightline.findings.claims import CLAIMS
from sightline.findings.drops import DROPS, estimate_drop
from sightline.findings.thresholds import Thresholds
from sightline.results import Bracket, Estimate, Failed, Measurement, NotApplicable, Outcome, Ragged
from sightline.statistics import bootstrap
from sightline.statistics.bracket import between
from sightline.statistics.contrast import Contrast, paired
from sightline.statistics.intervals import UNIT

Array = np.ndarray


@dataclass(frozen=True)
class Evidence:
    """Everything a finding may look at. An estimate is made when it is first asked for, and then kept by its name."""

    outcomes: Mapping[str, Outcome]
    label_names: tuple[str, ...]
    thresholds: Thresholds
    seed: int
    _estimates: dict[str, Estimate | None] = field(default_factory=dict, init=False, repr=False, compare=False)
    _contrasts: dict[str, Contrast | None] = field(default_factory=dict, init=False, repr=False, compare=False)

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
        return self.array("outputs.predicted").astype(np.int64)

    def array(self, name: str) -> Float[Array, "N *R"] | Int[Array, "N *R"]:
        """Give one raw array, ``measure.quantity``, of a measurement that was taken."""
        measure, _, quantity = name.partition(".")
        measurement = self.taken(measure)
        assert measurement is not None  # callers have asked `taken` first
        assert quantity in measurement.values, (
            f"a claim names {name}, but {measure} has {', '.join(measurement.values)}"
        )
        return np.asarray(measurement.values[quantity])

    def by_class(self) -> dict[str, Array]:
        """Mark the texts of each predicted class that occurs."""
        present = np.unique(self.predicted)
        return {self.label_names[c]: self.predicted == c for c in present}

    def contrast(self, claim: Claim) -> Contrast | None:
        """Compare the number of a claim with its floor, text by text; nothing where it was not measured."""
        if claim.code not in self._contrasts:
            known = self.taken(claim.measure) is not None
            self._contrasts[claim.code] = (
                paired(self.array(claim.number), self.array(claim.floor), self.seed, claim.number) if known else None
            )
        return self._contrasts[claim.code]

    def estimate(self, name: str) -> Estimate | None:
        """Give the one estimate of a quantity, ``measure.quantity``; nothing where it was not measured."""
        if name not in self._estimates:
            self._estimates[name] = self._made(name)
        return self._estimates[name]

    def _made(self, name: str) -> Estimate | None:
        if name in DROPS:
            return self._drop(name)
        if name in _CONTRASTED:
            return self._side(name, _CONTRASTED[name])
        measure, _, quantity = name.partition(".")
        measurement = self.taken(measure)
        if measurement is None:
            return None
        if quantity in measurement.whole:
            return measurement.whole[quantity]
        return self._summary(measurement.values.get(quantity), _SHOWN.get(name, Shown(name)))

    def _side(self, name: str, claim: Claim) -> Estimate | None:
        """Take the number or the floor out of the contrast of a claim."""
        contrast = self.contrast(claim)
        if contrast is None:
            return None
        return contrast.number if name == claim.number else contrast.floor

    def _summary(self, values: Array | Ragged | Bracket | None, one: Shown) -> Estimate | None:
        """Estimate one number of what was measured text by text."""
        stage = one.drawn_with or one.name
        if isinstance(values, Bracket):
            return between(values, self.seed, stage)
        if values is None or isinstance(values, Ragged):
            return None
        if one.how == "share":
            return bootstrap.proportion(values)
        return bootstrap.mean(values, self.seed, stage, None if one.how == "unbounded mean" else UNIT)

    def _drop(self, name: str) -> Estimate | None:
        one = DROPS[name]
        if self.taken(one.measure) is None:
            return None
        labels, learned, other = self.decisions(one.measure, one.comparison)
        return estimate_drop(one, labels, learned, other, len(self.label_names), self.seed)

    def decisions(self, measure: str, other: str) -> tuple[Int[Array, " N"], Int[Array, " N"], Int[Array, "N *R"]]:
        """Give the labels, the decisions of the model, and those of what it is compared with."""
        labels, learned, others = (self.array(f"{measure}.{quantity}") for quantity in ("label", "learned", other))
        return labels.astype(np.int64), learned, others


_CONTRASTED: Mapping[str, Claim] = {
    name: claim for claim in CLAIMS.values() if claim.kind == "contrast" for name in (claim.number, claim.floor)
}
"""The quantities that are compared: their one estimate is over the texts on which number and floor are both defined."""
_SHOWN: Mapping[str, Shown] = {one.name: one for claim in CLAIMS.values() for one in claim.quantities()}
