"""All numbers of a report besides the test scores, each with its interval, n and method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from sightline.core.results import Estimate, Finding, Measurement
from sightline.numerics.classification_metrics import confusion, macro_f1
from sightline.stats import bootstrap
from sightline.verdict.catalogue import AUDIT_TESTS
from sightline.verdict.control_estimates import distances
from sightline.verdict.evidence import Evidence
from sightline.verdict.layer_estimates import of_layers
from sightline.verdict.rationale_estimates import MARKED
from sightline.verdict.retention_estimates import KEPT, RATIOS


def metrics(evidence: Evidence, *, grouped: bool = False) -> dict[str, Estimate]:
    """Accuracy (Wilson) and macro-F1 (bootstrap) on the audited texts with a finite output.

    If texts are ``grouped``, whole groups are resampled, as for every test; otherwise each text is
    its own.
    """
    if evidence.measurement("outputs") is None or not evidence.finite.any():
        return {}
    clusters = evidence.clusters[evidence.finite] if grouped else None
    labels = evidence.array("outputs.label").astype(np.int64)[evidence.finite]
    predicted = evidence.predicted[evidence.finite]
    counts = confusion(labels, predicted[:, None], len(evidence.label_names))
    return {
        "accuracy": bootstrap.proportion((labels == predicted).astype(float), clusters),
        "f1": bootstrap.statistic(counts, macro_f1, evidence.seed, (0.0, 1.0), clusters),
    }


def estimates(evidence: Evidence) -> dict[str, Estimate]:
    """Give every number that a test names, and those of rationales, control models, layers and
    whole splits, as ``measure.quantity``.
    """
    claimed = [one.name for claim in AUDIT_TESTS.values() for one in claim.quantities()]
    taken = [outcome for outcome in evidence.outcomes.values() if isinstance(outcome, Measurement)]
    whole = [f"{one.code}.{quantity}" for one in taken for quantity in one.whole]
    of_some = (*distances(evidence.outcomes), *of_layers(evidence.outcomes), *whole)
    found = {
        name: evidence.estimate(name) for name in (*claimed, *MARKED, *KEPT, *RATIOS, *of_some)
    }
    return {name: estimate for name, estimate in found.items() if estimate is not None}


def with_context(
    findings: Sequence[Finding], numbers: Mapping[str, Estimate]
) -> tuple[Finding, ...]:
    """Add to each finding the numbers to read it with, if they were measured."""
    named = {
        code: {
            words: numbers[name] for words, name in claim.shown_by_words.items() if name in numbers
        }
        for code, claim in AUDIT_TESTS.items()
    }
    return tuple(replace(finding, beside=named[finding.code]) for finding in findings)
