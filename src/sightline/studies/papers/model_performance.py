"""Performance of a model, and its loss under replaced weights."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf

import numpy as np

from sightline.audits.audit_result import Audit
from sightline.core.results import Estimate
from sightline.numerics.classification_metrics import macro_f1, positive_f1
from sightline.studies.aggregate import Number
from sightline.studies.papers.study_models import positive_f1_of
from sightline.studies.run_numbers import (
    MOVED,
    SHARE,
    largest_of,
    mean_of,
    numbers_of,
    read_estimates,
)
from sightline.verdict.accuracy_drop import Metric, estimate_drop

LOST = (-1.0, 1.0)
"""The bounds of a lost share."""
F1_LOST = "F1 lost under uniform weights"
"""Of the positive class, as F1 itself; kept readings of earlier versions have the loss of macro-F1."""
PEAKED = "largest weight over an even one"


def performance_of(audit: Audit) -> Mapping[str, Number]:
    """Return accuracy with the accuracy of guessing, and F1 of the positive class if there are two
    classes.
    """
    guessing = None if audit.learned is None else audit.learned.guessing
    found = {"accuracy": Number(audit.metrics["accuracy"], guessing, SHARE)}
    f1 = positive_f1_of(audit, int(audit.spec["seed"]))
    return found if f1 is None else {"F1": Number(Estimate(**f1), None, SHARE), **found}


def lost_of(audit: Audit) -> Mapping[str, Number]:
    """Return F1 of the positive class, and how much of it is lost under uniform and under permuted
    weights; of more than two classes the loss of macro-F1.
    """
    metric, name = (positive_f1, "F1") if _is_binary(audit) else (macro_f1, "macro-F1")
    lost = {
        f"{name} lost under {how} weights": Number(_lost(audit, how, metric), None, LOST)
        for how in ("uniform", "permuted")
    }
    return {**performance_of(audit), **lost}


def _is_binary(audit: Audit) -> bool:
    return len(audit.cards["model"]["labels"]) == 2


def _lost(audit: Audit, how: str, metric: Metric) -> Estimate:
    """Estimate the loss of a metric when the weights are replaced, over the texts with an output."""
    need, outputs = numbers_of(audit, "need"), numbers_of(audit, "outputs")
    finite = outputs["finite"].astype(bool)
    labels, learned, other, clusters = (
        values[finite].astype(np.int64)
        for values in (need["label"], need["learned"], need[how], outputs["cluster"])
    )
    classes, seed = len(audit.cards["model"]["labels"]), int(audit.spec["seed"])
    return estimate_drop(metric, labels, learned, other, classes, seed, clusters)


def peaked_of(audit: Audit) -> Mapping[str, Number]:
    """Return the same, and how peaked attention is: 1 if it is uniform, for any length of
    a text.
    """
    over = largest_of(audit) * numbers_of(audit, "outputs")["words"]
    return {
        **lost_of(audit),
        PEAKED: Number(mean_of(audit, over, (1.0, inf)), None, (1.0, inf)),
    }


def moved_of(audit: Audit) -> Mapping[str, Number]:
    """Return the accuracy of an adversary, and how far it is from its base."""
    return {
        "accuracy": Number(audit.metrics["accuracy"], None, SHARE),
        **read_estimates(MOVED)(audit),
    }
