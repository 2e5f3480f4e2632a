"""The numbers of a report beside the findings: each with its interval, n and method."""

from __future__ import annotations

import numpy as np

from sightline.findings.evidence import Evidence
from sightline.findings.need import drops
from sightline.maths.scores import confusion, macro_f1
from sightline.results import Estimate, Ragged
from sightline.statistics import bootstrap

_MEANS = {
    "agreement": ("captured.", "chance.", "coupling.", "coupling_tau.", "tau."),
    "reach": ("low", "high"),
    "permutation": ("median", "median_error", "largest", "ratio", "logit_variance"),
    "erasure": ("area",),
}
_SHARES = {"reach": ("proof", "inert")}


def metrics(evidence: Evidence) -> dict[str, Estimate]:
    """Accuracy (Wilson) and macro-F1 (bootstrap) on the audited texts."""
    if evidence.taken("outputs") is None:
        return {}
    labels = evidence.array("outputs", "label").astype(np.int64)
    counts = confusion(labels, evidence.predicted[:, None], len(evidence.label_names))
    return {
        "accuracy": bootstrap.proportion((labels == evidence.predicted).astype(float)),
        "f1": bootstrap.statistic(counts, macro_f1, evidence.seed, "f1", (0.0, 1.0)),
    }


def estimates(evidence: Evidence) -> dict[str, Estimate]:
    """Mean of every per-text number that the report shows, named ``measure.quantity``."""
    out: dict[str, Estimate] = {}
    for name, drop in drops(evidence).items():
        out |= {f"need.{name}.{metric}_drop": value for metric, value in drop.items()}
    for measure, wanted in _MEANS.items():
        for quantity, values in _arrays(evidence, measure, wanted).items():
            bounds = None if quantity == "logit_variance" else bootstrap.UNIT
            out[f"{measure}.{quantity}"] = bootstrap.mean(values, evidence.seed, f"{measure}.{quantity}", bounds)
    for measure, wanted in _SHARES.items():
        for quantity, values in _arrays(evidence, measure, wanted).items():
            out[f"{measure}.{quantity}"] = bootstrap.proportion(values)
    return out


def _arrays(evidence: Evidence, measure: str, wanted: tuple[str, ...]) -> dict[str, np.ndarray]:
    measurement = evidence.taken(measure)
    if measurement is None:
        return {}
    return {
        name: value
        for name, value in measurement.values.items()
        if not isinstance(value, Ragged) and any(name == w or (w.endswith(".") and name.startswith(w)) for w in wanted)
    }
