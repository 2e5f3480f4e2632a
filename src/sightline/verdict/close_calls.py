"""Close calls: tests whose interval ends so near the threshold that other random words, or other
texts, could change the verdict.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import isfinite

from sightline.core.results import Answer, CloseCall, Estimate, Finding, Learned, Verdict
from sightline.verdict.decision_rule import decide
from sightline.verdict.evidence import Evidence
from sightline.verdict.verdict_table import verdict_of

NEAR = 1.0
"""An end of an interval is near the threshold within so many half widths. Over 20 seeds of an
audit, the end of a score that depends on random words has a standard deviation of up to 0.6 half
widths (docs/decisions/0110-close-calls.md)."""

SCALE = 1.0
"""The distance from chance to the best. An interval that is wider says nothing of what is near."""


def close_calls(
    found: Mapping[str, Finding], evidence: Evidence, learned: Learned | None, verdict: Verdict
) -> tuple[CloseCall, ...]:
    """Find the tests that would change a verdict if they crossed the threshold, nearest first."""
    calls: dict[tuple[str, str], CloseCall] = {}
    for code, of, distance, other in _near(found):
        changed = verdict_of({**found, code: _turned(found[code], of, other)}, evidence, learned)
        before, after = (one.by_class.get(of, one) if of else one for one in (verdict, changed))
        if after.level != before.level:
            calls.setdefault((code, of), CloseCall(code, of, distance, after.level))
    return tuple(sorted(calls.values(), key=lambda call: call.distance))


def _near(found: Mapping[str, Finding]) -> Iterator[tuple[str, str, float, Answer]]:
    """Give each test near its threshold, the class, the distance, and the result beyond it."""
    for code, finding in found.items():
        if not finding.bears or finding.threshold is None:
            continue
        scopes: dict[str, tuple[Estimate | None, Answer]] = {"": (finding.score, finding.result)}
        for of, one in finding.by_class.items():
            scopes[of] = one, finding.answers.get(of, "not run")
        for of, (score, answer) in scopes.items():
            # If several ways of asking are joined, this score alone may not decide the result.
            if score is not None and decide(score, finding.threshold) == answer:
                for distance, other in _crossings(score, finding.threshold, answer):
                    yield code, of, distance, other


def _crossings(score: Estimate, threshold: float, answer: Answer) -> Iterator[tuple[float, Answer]]:
    """Give the result if an end of the interval crossed the threshold, the nearer end first."""
    width = score.high - score.low
    if width > SCALE:
        return
    near = NEAR * width / 2
    ends: list[tuple[float, Answer]] = [
        (abs(score.low - threshold), "inconclusive" if answer == "passed" else "passed"),
        (abs(score.high - threshold), "inconclusive" if answer == "failed" else "failed"),
    ]
    held = {"passed": ends[:1], "failed": ends[1:], "inconclusive": ends}.get(answer, [])
    yield from sorted(end for end in held if isfinite(near) and end[0] <= near)


def _turned(finding: Finding, of: str, answer: Answer) -> Finding:
    if of:
        return replace(finding, answers={**finding.answers, of: answer})
    return replace(finding, result=answer)
