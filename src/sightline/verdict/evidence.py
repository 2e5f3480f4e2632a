"""The measurements of one audit, and the estimates from them, each computed once under one name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Int

from sightline.config.measure_needs import missing_from
from sightline.core.needs import UNASKED
from sightline.core.results import (
    Bracket,
    Estimate,
    Failed,
    Measurement,
    NotRun,
    Outcome,
    Ragged,
)
from sightline.stats import bootstrap
from sightline.stats.contrasts import Contrast, paired, score
from sightline.stats.intervals import LEVEL
from sightline.stats.mean_bounds import bracketed_mean
from sightline.stats.ratios import RatioSums, ratio
from sightline.verdict.accuracy_drop import DROPS, METRICS, estimate_drop
from sightline.verdict.audit_test import NAMED, AuditTest, ReportedQuantity
from sightline.verdict.catalogue import (
    AUDIT_TESTS,
    PRESENCE,
    PRESENT_AT_MOST,
    TOP_WORD,
    TOP_WORDS_MATTER,
)
from sightline.verdict.layer_estimates import as_layer
from sightline.verdict.number_bounds import ends_of
from sightline.verdict.retention_estimates import RATIOS, Ratio
from sightline.verdict.thresholds import Thresholds
from sightline.verdict.transfer_estimates import best_presence, compared

Array = np.ndarray


class ScoreQuantities(NamedTuple):
    """The names of the three quantities that a score compares: a number, its chance level and its
    ceiling. An empty ceiling stands for 1.
    """

    number: str
    baseline: str
    ceiling: str


@dataclass(frozen=True)
class Evidence:
    """The measurements that tests use. Each estimate is computed on first use and then kept."""

    outcomes: Mapping[str, Outcome]
    label_names: tuple[str, ...]
    thresholds: Thresholds
    seed: int
    confidence: float = LEVEL
    """The level of intervals over all texts: higher if an audit looks at them more than once."""
    offers: frozenset[str] | None = None
    """The capabilities of the model, if they are known."""
    _estimates: dict[str, Estimate | None] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    _contrasts: dict[tuple[ScoreQuantities, str], Contrast] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def measurement(self, measure: str) -> Measurement | None:
        """Give the measurement, or None if it was not taken."""
        outcome = self.outcomes.get(measure)
        return outcome if isinstance(outcome, Measurement) else None

    def has(self, name: str) -> bool:
        """Check whether a quantity, ``measure.quantity``, was measured."""
        measure, _, quantity = name.partition(".")
        measured = self.measurement(measure)
        return measured is not None and quantity in measured.values

    def why_not(self, name: str) -> str:
        """Say why a measure, or a quantity of it, was not taken."""
        measure, _, quantity = name.partition(".")
        outcome = self.outcomes.get(measure)
        if isinstance(outcome, Measurement):
            silent = self.has("outputs.finite") and not self.finite.any()
            text = (
                "no output of the model is a number" if silent else f"{measure} does not measure it"
            )
            return outcome.missing.get(quantity, text)
        if isinstance(outcome, NotRun):
            return outcome.reason
        if isinstance(outcome, Failed):
            return f"the measure failed: {outcome.error}"
        missing = self.offers is not None and missing_from(measure, self.offers)
        return missing or UNASKED

    @cached_property
    def predicted(self) -> Int[Array, " N"]:
        """The predicted class of every text."""
        return self.array("outputs.predicted").astype(np.int64)

    @cached_property
    def finite(self) -> Bool[Array, " N"]:
        """Marks the texts with a finite output."""
        if not self.has("outputs.finite"):
            return np.ones(len(self.predicted), dtype=bool)
        return self.array("outputs.finite").astype(bool)

    @cached_property
    def clusters(self) -> Int[Array, " N"]:
        """The cluster of each text: texts of one source are resampled together."""
        if not self.has("outputs.cluster"):
            return np.arange(len(self.predicted))
        return np.unique(self.array("outputs.cluster"), return_inverse=True)[1]

    def independent(self, of: str = "") -> int:
        """Count the texts of a class, or all: those of one cluster count as one."""
        return self.independent_in(self.rows(of))

    def independent_in(self, rows: Bool[Array, " N"]) -> int:
        """Count some texts: those of one cluster count as one."""
        return len(np.unique(self.clusters[rows]))

    def array(self, name: str) -> Float[Array, "N *R"] | Int[Array, "N *R"] | Bool[Array, "N *R"]:
        """Give one raw array, ``measure.quantity``, of a measurement that was taken."""
        measure, _, quantity = name.partition(".")
        measurement = self.measurement(measure)
        assert measurement is not None  # callers have checked `has`
        return np.asarray(measurement.values[quantity])

    @cached_property
    def classes(self) -> Mapping[str, Bool[Array, " N"]]:
        """Mark the texts of each predicted class that occurs."""
        present = np.unique(self.predicted[self.finite])
        return {self.label_names[c]: (self.predicted == c) & self.finite for c in present}

    def level(self, of: str) -> float:
        """Level of an interval: over all texts, or for one class among several (Bonferroni)."""
        if not of:
            return self.confidence
        return 1 - (1 - self.confidence) / max(1, len(self.classes))

    def rows(self, of: str) -> Bool[Array, " N"]:
        """Mark the texts of a class, or all where none is named."""
        return self.classes[of] if of else np.ones(len(self.predicted), dtype=bool)

    def contrast(self, names: ScoreQuantities, of: str = "") -> Contrast:
        """Compare a number with its chance level, text by text, over a predicted class or over all
        texts.

        Over all texts, predicted classes have equal weight: the frequency of a class says nothing
        about its reasons.
        """
        if (names, of) not in self._contrasts:
            self._contrasts[names, of] = self._compared(names, of)
        return self._contrasts[names, of]

    def top_words_matter(self, of: str = "") -> Estimate | None:
        """Estimate the share of texts in which the top words alone matter; None if that was not
        measured.

        A text counts if its own score of Top word lies above the threshold of that test. The score
        over all texts is a ratio of sums, which texts without any effect can only lower.
        """
        claim = AUDIT_TESTS[TOP_WORD]
        (names,), threshold = score_quantities(claim), self.thresholds.of(claim)
        if threshold is None or not all(map(self.has, names)):
            return None
        rows = self.rows(of)
        number, chance, most = (self.array(name)[rows] for name in names)
        matters = number - chance > threshold * (most - chance)
        known = np.where(np.isnan(number + chance + most), np.nan, matters)
        found = bootstrap.proportion(known, self.clusters[rows], self.level(of))
        return found if found.n else None

    def sums(self, names: ScoreQuantities) -> RatioSums:
        """Give the sums over all texts whose ratio is the score of `contrast` (over pairs:
        `pair_sums`).
        """
        most = self.array(names.ceiling) if names.ceiling else None
        return score(self.array(names.number), self.array(names.baseline), most, self.predicted)

    def _compared(self, names: ScoreQuantities, of: str) -> Contrast:
        rows = self.rows(of)
        measure, _, quantity = names.number.partition(".")
        if measure == "transplant" and (measured := self.measurement(measure)):
            return compared(measured, quantity, self.clusters, rows, self.level(of))
        most = self.array(names.ceiling)[rows] if names.ceiling else None
        return paired(
            self.array(names.number)[rows],
            self.array(names.baseline)[rows],
            self.seed,
            ceiling=most,
            clusters=self.clusters[rows],
            level=self.level(of),
            bounds=ends_of(names.number),
            classes=self.predicted[rows],
            of_baseline=ends_of(names.baseline),
        )

    def estimate(self, name: str) -> Estimate | None:
        """Give the estimate of a quantity, ``measure.quantity``, or None if it was not measured."""
        if name not in self._estimates:
            self._estimates[name] = self._estimated(name)
        return self._estimates[name]

    def _estimated(self, name: str) -> Estimate | None:
        if name in DROPS:
            return self._drop(name)
        if name in RATIOS:
            return self._ratio(RATIOS[name])
        if name == TOP_WORDS_MATTER:
            return self.top_words_matter()
        measure, _, quantity = name.partition(".")
        measurement = self.measurement(measure)
        if measurement is None:
            return None
        if name == PRESENT_AT_MOST:
            return self._best_presence(measurement)
        if quantity in measurement.whole:
            return measurement.whole[quantity]
        if name in _CONTRASTED and all(map(self.has, filter(None, _CONTRASTED[name]))):
            contrast = self.contrast(_CONTRASTED[name])
            return contrast.number if name == _CONTRASTED[name].number else contrast.baseline
        return self._summary(
            measurement.values.get(quantity),
            _CLAIMED.get(name) or as_layer(name) or ReportedQuantity(name),
        )

    def _summary(
        self, values: Array | Ragged | Bracket | None, one: ReportedQuantity
    ) -> Estimate | None:
        """Estimate a quantity that was measured text by text."""
        if isinstance(values, Bracket):
            return bracketed_mean(values, self.seed, clusters=self.clusters)
        if values is None or isinstance(values, Ragged):
            return None
        if one.how == "share":
            return bootstrap.proportion(values, clusters=self.clusters)
        bounds = ends_of(one.name)
        each = values if values.ndim == 1 else values.mean(axis=1)
        classes = self.predicted if one.name in _CEILINGS else None
        return bootstrap.mean(each, self.seed, bounds, clusters=self.clusters, classes=classes)

    def _best_presence(self, measurement: Measurement) -> Estimate | None:
        number = AUDIT_TESTS[PRESENCE].number
        if not self.has(number) or not self.has(PRESENT_AT_MOST):
            return None
        quantity = number.partition(".")[2]
        return best_presence(measurement, quantity, self.clusters, self.rows(""))

    def _drop(self, name: str) -> Estimate | None:
        one = DROPS[name]
        if not self.has(f"{one.measure}.{one.comparison}") or not self.finite.any():
            return None
        labels, learned, other = (
            each[self.finite] for each in self.decisions(one.measure, one.comparison)
        )
        metric, clusters = METRICS[one.metric], self.clusters[self.finite]
        classes = len(self.label_names)
        return estimate_drop(
            metric, labels, learned, other, classes, self.seed, clusters, self.confidence
        )

    def _ratio(self, one: Ratio) -> Estimate | None:
        if not self.has(one.top):
            return None
        top, bottom = self.array(one.top), self.array(one.bottom).astype(float)
        return ratio(top, bottom, self.seed, self.clusters, bounds=one.bounds)

    def decisions(
        self, measure: str, other: str
    ) -> tuple[Int[Array, " N"], Int[Array, " N"], Int[Array, "N *R"]]:
        """Give the labels, the model's predictions, and the predictions to compare them with."""
        labels, learned, others = (
            self.array(f"{measure}.{quantity}") for quantity in ("label", "learned", other)
        )
        return labels.astype(np.int64), learned, others


def score_quantities(claim: AuditTest) -> tuple[ScoreQuantities, ...]:
    """Name number, chance level and ceiling of each way in which a test asks."""
    first = ScoreQuantities(claim.number, claim.baseline, claim.ceiling)
    if not claim.second:
        return (first,)
    if len(claim.second) == 1:
        return first, first._replace(baseline=claim.second[0])
    number, baseline, ceiling = claim.second
    return first, ScoreQuantities(number, baseline, ceiling)


def named_score_quantities(claim: AuditTest) -> dict[str, ScoreQuantities]:
    """Name each way in which a test asks: by its chance level, or by how it removes words."""
    first, *others = score_quantities(claim)
    if claim.kind in NAMED and others:
        return dict(zip(NAMED[claim.kind], (first, *others), strict=False))
    words = {name: label for label, name in claim.shown_by_words.items()}
    return {claim.baseline_words: first} | {words[other.baseline]: other for other in others}


_COMPARED = [
    names
    for claim in AUDIT_TESTS.values()
    if claim.baseline or claim.ceiling
    for names in score_quantities(claim)
]
_CONTRASTED: Mapping[str, ScoreQuantities] = {
    name: names for names in reversed(_COMPARED) for name in (names.number, names.baseline) if name
}
"""The comparison of each name, by the first test that has it: its estimate is over the texts where
both are defined."""
_CEILINGS = frozenset(names.ceiling for names in _COMPARED)
_CLAIMED = {one.name: one for claim in AUDIT_TESTS.values() for one in claim.quantities()}
