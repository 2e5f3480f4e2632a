"""The numbers of a report beside the findings: each with its interval, n and method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from sightline.findings.evidence import Evidence
from sightline.findings.need import drops
from sightline.maths.scores import confusion, macro_f1
from sightline.results import Estimate, Finding
from sightline.statistics import bootstrap

_MEANS = {
    "agreement": ("captured.", "chance.", "coupling.", "coupling_tau.", "tau."),
    "reach": ("low", "high"),
    "permutation": ("median", "median_error", "largest", "ratio", "logit_variance"),
    "erasure": ("area",),
}
_BESIDE: Mapping[str, Mapping[str, str]] = {
    "SL-001": {
        "accuracy lost with uniform weights put in": "need.uniform.accuracy_drop",
        "accuracy lost with the weights permuted": "need.permuted.accuracy_drop",
        "accuracy lost against a model retrained with uniform attention": "need.retrained.accuracy_drop",
    },
    "SL-101": {
        "coupling: shuffled weights, used for decoding": "agreement.coupling.gradient",
        "with the gradient running through attention too": "agreement.captured.gradient_through",
        "Kendall’s τ-b over all words, as in the papers": "agreement.tau.gradient",
        "the same τ-b of shuffled weights, used for decoding": "agreement.coupling_tau.gradient",
    },
    "SL-102": {
        "coupling: shuffled weights, used for decoding": "agreement.coupling.deletion",
        "Kendall’s τ-b over all words, as in the papers": "agreement.tau.deletion",
        "the same τ-b of shuffled weights, used for decoding": "agreement.coupling_tau.deletion",
    },
    "SL-103": {"Kendall’s τ-b over all words": "agreement.tau.references"},
    "SL-104": {
        "of the gradient alone": "agreement.captured.free_gradient",
        "its floor": "agreement.chance.free_gradient",
        "of deletion alone": "agreement.captured.free_deletion",
        "the floor of deletion": "agreement.chance.free_deletion",
    },
    "SL-201": {
        "largest change that any attention makes (total variation), at least": "reach.low",
        "and at most": "reach.high",
        "share of texts where it stays within ε": "reach.inert",
    },
    "SL-202": {
        "median change over 100 permutations (total variation)": "permutation.median",
        "mean standard error of that median": "permutation.median_error",
        "largest change that any permutation makes": "permutation.largest",
    },
}
"""What each finding is to be read beside, by what it is, and under which name it is estimated."""
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


def with_context(findings: Sequence[Finding], numbers: Mapping[str, Estimate]) -> tuple[Finding, ...]:
    """Put beside each finding the numbers to read it with, as far as they were measured."""
    named = {
        code: {what: numbers[name] for what, name in row.items() if name in numbers} for code, row in _BESIDE.items()
    }
    return tuple(replace(finding, beside=named.get(finding.code, {})) for finding in findings)


def _arrays(evidence: Evidence, measure: str, wanted: tuple[str, ...]) -> dict[str, np.ndarray]:
    measurement = evidence.taken(measure)
    if measurement is None:
        return {}
    return {
        name: value
        for name, value in measurement.values.items()
        if isinstance(value, np.ndarray) and any(name == w or (w.endswith(".") and name.startswith(w)) for w in wanted)
    }
