"""All numbers of a report besides the test scores, each with its interval, n and method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from jaxtyping import Int

from sightline.core.results import Estimate, Finding, Measurement
from sightline.numerics.classification_metrics import confusion, macro_f1
from sightline.numerics.count_tables import Counts
from sightline.stats import bootstrap
from sightline.stats.intervals import without_interval
from sightline.verdict.catalogue import AUDIT_TESTS, top_words_share
from sightline.verdict.control_estimates import distances
from sightline.verdict.evidence import Evidence
from sightline.verdict.layer_estimates import of_layers
from sightline.verdict.rationale_estimates import MARKED
from sightline.verdict.retention_estimates import KEPT, RATIOS

FEWEST_OF_CLASS = 5
"""Fewest texts of each class that is present or predicted, for macro-F1 to have an interval."""


def metrics(evidence: Evidence) -> dict[str, Estimate]:
    """Accuracy (Wilson) and macro-F1 (bootstrap) on the audited texts with a finite output.

    Groups, equal texts and near copies count as one, as in every other interval. Macro-F1 has none
    where a class has few texts: the F1 of a class rests on its texts alone. Of 50 texts with one in
    50 positive, the interval contained the truth in 0.57 of 2,000 samples.
    """
    if evidence.measurement("outputs") is None or not evidence.finite.any():
        return {}
    clusters = evidence.clusters[evidence.finite]
    labels = evidence.array("outputs.label").astype(np.int64)[evidence.finite]
    predicted = evidence.predicted[evidence.finite]
    counts = confusion(labels, predicted[:, None], len(evidence.label_names))
    return {
        "accuracy": bootstrap.proportion((labels == predicted).astype(float), clusters),
        "f1": _macro_f1(counts, evidence.seed, clusters),
    }


def _macro_f1(counts: Counts, seed: int, clusters: Int[np.ndarray, " N"]) -> Estimate:
    total = counts.total()
    texts = total.sum(axis=1)
    if (texts[(texts > 0) | (total.sum(axis=0) > 0)] < FEWEST_OF_CLASS).any():
        value = float(macro_f1(total[None])[0])
        why = f"no interval is known: a class has fewer than {FEWEST_OF_CLASS} texts"
        return without_interval(value, counts.texts, why)
    return bootstrap.statistic(counts, macro_f1, seed, (0.0, 1.0), clusters)


def estimates(evidence: Evidence) -> dict[str, Estimate]:
    """Give every number that a test names, and those of rationales, control models, layers and
    whole splits, as ``measure.quantity``.

    The share of texts whose top words matter is given for each predicted class too: the verdict on
    a class asks for it, and a class can differ much from all texts.
    """
    claimed = [one.name for claim in AUDIT_TESTS.values() for one in claim.quantities()]
    taken = [outcome for outcome in evidence.outcomes.values() if isinstance(outcome, Measurement)]
    whole = [f"{one.code}.{quantity}" for one in taken for quantity in one.whole]
    of_some = (*distances(evidence.outcomes), *of_layers(evidence.outcomes), *whole)
    found = {
        name: evidence.estimate(name) for name in (*claimed, *MARKED, *KEPT, *RATIOS, *of_some)
    }
    found |= {top_words_share(of): evidence.top_words_matter(of) for of in evidence.classes}
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
