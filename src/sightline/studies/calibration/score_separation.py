"""Measure how well each test's score separates maps that name the reasons from maps that mislead.

The runs have a known truth by construction; published metrics are included for comparison. The
measure is the chance that a correct map scores higher than a misleading one (the area under the ROC
curve), 0.5 for a coin.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from jaxtyping import Float

from sightline.audits.audit_result import Audit
from sightline.core.results import Estimate
from sightline.stats.intervals import LEVEL, interval_of_equal_values, student
from sightline.verdict.catalogue import AUDIT_TESTS

Array = np.ndarray
Run = tuple[str, Audit]
"""The kind of a map whose truth is known, and its audit."""
RIGHT, MISLEADING, FRAUD = "right", "misleading", "fraud"
PUBLISHED: Mapping[str, tuple[str, str, float]] = {
    "comprehensiveness (DeYoung et al. 2020)": ("erasure.area", "", 1.0),
    "comprehensiveness less that of random words": ("erasure.area", "erasure.floor", 1.0),
    "sufficiency (DeYoung et al. 2020)": ("sufficiency.area", "", -1.0),
    "sufficiency less that of random words": ("sufficiency.area", "sufficiency.floor", -1.0),
    "Kendall’s τ with the gradient (Jain & Wallace 2019)": ("agreement.tau.gradient", "", 1.0),
    "Kendall’s τ with leave-one-out (Jain & Wallace 2019)": ("agreement.tau.deletion", "", 1.0),
}
"""Published metrics: the quantity, what is subtracted from it, and its sign, so that more is
better."""


def quality(
    runs: Iterable[Run], more_scores: Iterable[Mapping[str, float]] = ()
) -> list[dict[str, Any]]:
    """Return a row for each test of the verdict, and for each published metric.

    ``more_scores`` holds further scores of each run, by name, that its audit lacks.
    """
    scores: dict[str, dict[str, list[float]]] = {}
    answers: dict[str, dict[str, list[str]]] = {}
    more = iter(more_scores)
    for kind, audit in runs:
        for name, score in (*_scores(audit), *next(more, {}).items()):
            scores.setdefault(name, {}).setdefault(kind, []).append(score)
        for finding in audit.findings:
            if finding.bears:
                answers.setdefault(finding.code, {}).setdefault(kind, []).append(finding.result)
    return [_row(name, of, answers.get(name, {})) for name, of in scores.items()]


def _scores(audit: Audit) -> Iterator[tuple[str, float]]:
    effects = {one.code: one.score for one in audit.findings if one.bears}
    for code in AUDIT_TESTS:
        score = effects.get(code)
        if score is not None and np.isfinite(score.value):
            yield code, score.value
    for name, (quantity, baseline, sign) in PUBLISHED.items():
        known = [audit.estimates.get(one) for one in (quantity, baseline) if one]
        if all(one is not None and np.isfinite(one.value) for one in known):
            values = [one.value for one in known if one is not None]
            yield name, sign * (values[0] - sum(values[1:]))


def _row(
    name: str, scores: Mapping[str, Sequence[float]], answers: Mapping[str, Sequence[str]]
) -> dict[str, Any]:
    right = np.array(scores.get(RIGHT, ()))
    wrong = [one for kind in (MISLEADING, FRAUD) for one in answers.get(kind, ())]
    return {
        "name": name,
        **{
            kind: plain(auroc(right, np.array(scores.get(kind, ()))))
            for kind in (MISLEADING, FRAUD)
        },
        "false_passes": _counted(wrong, "passed"),
        "false_failures": _counted(answers.get(RIGHT, ()), "failed"),
    }


def auroc(right: Float[Array, " M"], wrong: Float[Array, " N"]) -> Estimate | None:
    """Estimate the chance that a score of the first group exceeds one of the second, ties counting
    one half.

    The variance comes from both placements (DeLong, DeLong & Clarke-Pearson 1988), the interval is
    Student's with as many runs as the smaller side has. None if a side has fewer than two runs.
    """
    m, n = len(right), len(wrong)
    if min(m, n) < 2:
        return None
    wins = (right[:, None] > wrong) + 0.5 * (right[:, None] == wrong)
    value, of_right, of_wrong = float(wins.mean()), wins.mean(axis=1), wins.mean(axis=0)
    error = float(np.sqrt(of_right.var(ddof=1) / m + of_wrong.var(ddof=1) / n))
    half = student(LEVEL, min(m, n)) * error
    if half == 0:  # the groups do not overlap
        return interval_of_equal_values(value, m + n, min(m, n), LEVEL, (0.0, 1.0))
    return Estimate(value, max(0.0, value - half), min(1.0, value + half), m + n, "DeLong")


def plain(one: Estimate | None) -> dict[str, Any] | None:
    """Convert an estimate to plain values."""
    if one is None:
        return None
    return {
        "value": round(one.value, 3),
        "low": round(one.low, 3),
        "high": round(one.high, 3),
        "n": one.n,
    }


def _counted(answers: Sequence[str], wanted: str) -> dict[str, int] | None:
    known = [one for one in answers if one != "not run"]
    return {"count": known.count(wanted), "n": len(known)} if known else None
