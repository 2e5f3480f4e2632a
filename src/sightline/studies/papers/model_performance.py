"""Performance of a model, and its loss under replaced weights."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf

from sightline.audits.audit_result import Audit
from sightline.core.results import Estimate
from sightline.stats.bootstrap import mean
from sightline.studies.aggregate import Number
from sightline.studies.papers.study_models import positive_f1_of
from sightline.studies.run_numbers import MOVED, SHARE, largest_of, numbers_of, read_estimates

LOST = (-1.0, 1.0)
"""The bounds of a lost share."""
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
    """Return F1, and its loss under uniform and under permuted weights."""
    lost = {
        f"F1 lost under {how} weights": f"need.{how}.F1_drop" for how in ("uniform", "permuted")
    }
    numbers = {
        label: Number(audit.estimates[name], None, LOST)
        for label, name in lost.items()
        if name in audit.estimates
    }
    return {**performance_of(audit), **numbers}


def peaked_of(audit: Audit) -> Mapping[str, Number]:
    """Return the same, and how peaked attention is: 1 if it is uniform, for any length of
    a text.
    """
    over = largest_of(audit) * numbers_of(audit, "outputs")["words"]
    return {
        **lost_of(audit),
        PEAKED: Number(mean(over, int(audit.spec["seed"]), (1.0, inf)), None, (1.0, inf)),
    }


def moved_of(audit: Audit) -> Mapping[str, Number]:
    """Return the accuracy of an adversary, and how far it is from its base."""
    return {
        "accuracy": Number(audit.metrics["accuracy"], None, SHARE),
        **read_estimates(MOVED)(audit),
    }
