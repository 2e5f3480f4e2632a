"""Turn evidence into findings and a verdict (docs/findings/ says why each number is the one to ask for)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from sightline.findings.claim import Claim
from sightline.findings.claims import CLAIMS
from sightline.findings.decide import decide, disagreement, explain
from sightline.findings.evidence import Evidence
from sightline.findings.kinds import KINDS, Judged
from sightline.findings.verdict import verdict_of
from sightline.results import Answer, Finding, Verdict
from sightline.statistics.contrast import benjamini_hochberg

NO_DELTA = "no smallest effect that matters has been set for this claim"


@dataclass(frozen=True)
class Judgement:
    """What an audit concludes."""

    findings: tuple[Finding, ...]
    verdict: Verdict


def judge(evidence: Evidence) -> Judgement:
    """Answer every claim in its order, and apply the verdict table."""
    found = {claim.code: _answered(evidence, claim) for claim in CLAIMS.values()}
    adjusted = benjamini_hochberg({code: one.p for code, one in found.items() if one.p is not None})
    held = {code: replace(_held_back(one, found), p_adjusted=adjusted.get(code)) for code, one in found.items()}
    return Judgement(tuple(held.values()), verdict_of(held, evidence))


def _answered(evidence: Evidence, claim: Claim) -> Finding:
    """Judge one claim as its kind is judged."""
    delta = evidence.thresholds.delta.get(claim.code)
    judged = KINDS[claim.kind](evidence, claim)
    if isinstance(judged, str):
        return Finding(claim.code, claim.text, "not applicable", claim.role, notes=(judged,), delta=delta)
    answer, compared, disagree = _against(judged, delta)
    return Finding(
        claim.code, claim.text, answer, claim.role, compared, (*judged.notes, *filter(None, [disagree])), delta,
        judged.number, judged.floor, judged.effect, judged.p, by_class=judged.by_class,
    )  # fmt: skip


def _against(judged: Judged, delta: float | None) -> tuple[Answer, str, str]:
    """Hold an effect against δ, whole and by class; what nobody has set a δ for stays open."""
    if delta is None:
        return "inconclusive", NO_DELTA, ""
    answer = decide(judged.effect, delta)
    return answer, explain(answer, judged.effect, delta), disagreement(judged.by_class, delta)


def _held_back(finding: Finding, found: Mapping[str, Finding]) -> Finding:
    """Leave an answer open where the claim that it waits on is contradicted."""
    other = CLAIMS[finding.code].waits_on
    if not other or found[other].verdict != "contradicted" or finding.verdict not in ("supported", "contradicted"):
        return finding
    why = f"left open: {CLAIMS[other].caveat} ({other})"
    return replace(finding, verdict="inconclusive", notes=(why, *finding.notes))
