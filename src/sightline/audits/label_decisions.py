"""Choose the labels whose maps may be shown, with false discoveries controlled over all labels.

Each label is a test, and some would pass by chance alone. A label that permits its map must
therefore also permit it with wider intervals. Their level is set by the step-up procedure of
Benjamini & Hochberg (1995), applied to intervals (docs/decisions/0113-several-labels.md).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from sightline.audits.audit_result import Audit
from sightline.core.interval_level import percent_of
from sightline.core.results import CAN, CANNOT_TELL, CAVEATS, Verdict
from sightline.stats.intervals import LEVEL
from sightline.verdict.estimators import estimates, with_context
from sightline.verdict.evidence import Evidence
from sightline.verdict.judge import judge
from sightline.verdict.thresholds import Thresholds
from sightline.verdict.verdict_table import VerdictContext, left_open

Permits = Callable[[str, float], bool]
"""Whether a label permits its map with intervals of a given level."""


def discoveries(labels: int, permitted: frozenset[str], permits: Permits) -> frozenset[str]:
    """Choose the labels that permit their maps, with a false discovery rate of at most 5 %.

    ``labels`` counts all tested labels; ``permitted`` are the labels that permit their map at the
    usual level. The result is the largest R for which R labels permit at the level 1 − .05 R /
    labels. The search starts from above, because wider intervals never permit more.
    """
    found = permitted
    while found:
        level = widened(LEVEL, labels, len(found))
        kept = frozenset(label for label in found if permits(label, level))
        if kept == found:
            break
        found = kept
    return found


def widened(level: float, labels: int, found: int) -> float:
    """Give the confidence level at which ``found`` discoveries among ``labels`` are judged."""
    return level if found >= labels else 1 - (1 - level) * max(found, 1) / labels


def held_together(
    audits: Mapping[str, Audit], thresholds: Thresholds
) -> tuple[dict[str, Audit], dict[str, float]]:
    """Judge each permitted label again, so that false discoveries over all labels are controlled.
    Give the audits and the level of each.
    """
    made = {(label, _own(one, LEVEL)): one for label, one in audits.items()}

    def at(label: str, level: float) -> Audit:
        if (label, level) not in made:
            made[label, level] = judged_at(audits[label], level, thresholds)
        return made[label, level]

    def permits(label: str, level: float) -> bool:
        return any_permits(at(label, _own(audits[label], level)).verdict)

    permitted = frozenset(label for label, one in audits.items() if any_permits(one.verdict))
    found = discoveries(len(audits), permitted, permits)
    level = widened(LEVEL, len(audits), len(found))
    levels = {
        label: _own(one, level if label in permitted else LEVEL) for label, one in audits.items()
    }
    held = {label: at(label, levels[label]) for label in audits}
    return {label: _noted(one, levels[label], len(audits)) for label, one in held.items()}, levels


def _noted(audit: Audit, level: float, labels: int) -> Audit:
    """Say in the card that the intervals of a label are wider, and why."""
    if level == _own(audit, LEVEL):
        return audit
    data = audit.cards["data"]
    note = (
        f"one of {labels} labels that were tested: its intervals are at {percent_of(level)} %, so "
        "that false discoveries are controlled over labels"
    )
    card = {**data, "notes": [*data.get("notes", ()), note]}
    return replace(audit, cards={**audit.cards, "data": card})


def any_permits(verdict: Verdict) -> bool:
    """Whether a map may be shown for all texts, or for the texts of some predicted class."""
    return any(level.permits for level in verdict.levels)


def _own(audit: Audit, level: float) -> float:
    """Widen the level of an audit that looked more than once by the same factor."""
    own: float = audit.spec.get("sequential", {}).get("level", LEVEL)
    return own if level == LEVEL else 1 - (1 - own) * (1 - level) / (1 - LEVEL)


def judged_at(audit: Audit, level: float, thresholds: Thresholds) -> Audit:
    """Judge an audit's measurements with intervals of another level; no verdict improves. Maps keep
    the usual level.
    """
    names = tuple(audit.cards["model"]["labels"])
    offers = frozenset(audit.cards["model"]["offers"])
    evidence = Evidence(
        audit.measurements, names, thresholds, audit.spec["seed"], level, offers=offers
    )
    judged, numbers = judge(evidence, audit.learned), estimates(evidence)
    found = {one.code: one for one in judged.findings}
    verdict = _no_better(
        audit.verdict,
        judged.verdict,
        lambda of: left_open(VerdictContext(found, evidence, judged.learned, of)),
    )
    return replace(
        audit,
        verdict=verdict,
        findings=with_context(judged.findings, numbers),
        estimates=numbers,
    )


def _no_better(usual: Verdict, wide: Verdict, opened: Callable[[str], Verdict]) -> Verdict:
    """Let wider intervals take back a permission, and nothing else. A verdict that permits nothing
    stays as it is: a failure stays one even if a wider interval no longer shows it. One that
    permits, and no longer does, is left open: what a wider interval no longer shows forbids nothing.
    """
    before, after = _parts(usual), _parts(wide)
    held = {of: _held(before[of], one) or opened(of) for of, one in after.items()}
    close = (
        call
        for parts, whole in ((before, usual), (after, wide))
        for call in whole.close
        if held[call.of] is parts[call.of]
    )
    classes = {of: one for of, one in held.items() if of}
    return replace(held[""], by_class=classes, close=tuple(close))


def _parts(verdict: Verdict) -> dict[str, Verdict]:
    """Name the verdicts of each class, and the one over all texts by an empty name."""
    return {"": verdict, **verdict.by_class}


def _held(usual: Verdict, wide: Verdict) -> Verdict | None:
    """Give the verdict that holds at both levels; None if it is open."""
    if not usual.level.permits or (usual.level, wide.level) == (CAVEATS, CAN):
        return usual
    return wide if wide.level.permits or wide.level == CANNOT_TELL else None
