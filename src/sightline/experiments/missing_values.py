"""Explain why a column of a study has no number: it was not asked for, the model or the data do not
allow it, or it failed.
"""

from __future__ import annotations

from collections.abc import Iterator

from sightline.config.measure_registry import ALWAYS, BY_NAME, WHERE_OFFERED
from sightline.config.specs import RunSpec
from sightline.core.results import Results
from sightline.verdict.accuracy_drop import DROPS
from sightline.verdict.catalogue import AUDIT_TESTS
from sightline.verdict.control_estimates import is_distance

METRICS = ("accuracy", "f1")
NUMBERS = (*METRICS, *AUDIT_TESTS)
"""The main numbers of a run: metrics, and the score of each test."""
NOT_ASKED = "not asked for"
"""What begins the reason of a column that the spec of a run leaves out."""
NEEDS_COMPANION = {"retrained": "uniform", "frozen": "frozen"}
"""The measures that need a control model, and the name of that model."""


def not_asked(name: str, spec: RunSpec) -> str:
    """Say which part of a run's spec leaves a column out; empty if none does."""
    for measure in measures_of(name):
        if measure not in (*spec.measures, ALWAYS) and (
            spec.measures or measure in BY_NAME | WHERE_OFFERED
        ):
            return f"{NOT_ASKED}: {measure} is not among the measures of the study"
        companion = NEEDS_COMPANION.get(measure) or (
            name.split(".", 2)[2] if is_distance(name) else ""
        )
        if companion and companion not in spec.companions:
            return f"{NOT_ASKED}: {companion} is not among the control models of the study"
    return ""


def why_absent(name: str, audit: Results) -> str:
    """Say why an audit has no number for a column that was asked for."""
    for measure in measures_of(name):
        if measure in audit.errors:
            return f"failed: {audit.errors[measure]}"
        if measure in audit.not_run:
            return f"not run: {audit.not_run[measure]}"
    reason = _of_finding(name, audit) or audit.missing().get(name, "")
    return f"not run: {reason}" if reason else "not run"


def why_all_absent(audit: Results) -> dict[str, str]:
    """Explain every main number that an audit lacks."""
    known = {
        *audit.metrics,
        *(finding.code for finding in audit.findings if finding.score is not None),
    }
    return {name: why_absent(name, audit) for name in NUMBERS if name not in known}


def measures_of(name: str) -> tuple[str, ...]:
    """Name the measures that a column is computed from.

    >>> measures_of("SL-107"), measures_of("agreement.tau.gradient"), measures_of("maps.attention.deleted")
    (('agreement', 'frozen'), ('agreement',), ('erasure',))
    """
    return tuple(dict.fromkeys(_measures(name)))


def _measures(name: str) -> Iterator[str]:
    head, _, rest = name.partition(".")
    if name in DROPS:
        yield DROPS[name].measure
    elif head in AUDIT_TESTS:
        yield from (
            one.partition(".")[0]
            for one in (AUDIT_TESTS[head].number, AUDIT_TESTS[head].baseline)
            if one
        )
    elif head == "maps":
        yield "transplant" if rest.endswith(".carried") else "erasure"
    else:
        yield head if rest and head != "learned" else ALWAYS


def _of_finding(name: str, audit: Results) -> str:
    """Return the reason why a test was not judged."""
    found = audit.by_test.get(name.partition(".")[0])
    return found.reason if found is not None and found.result == "not run" else ""
