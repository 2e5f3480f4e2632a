"""Turn measurements into findings and a verdict (docs/findings/ says why each number is the one to ask for)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from sightline.findings.claims import CLAIMS
from sightline.findings.decide import decide, disagreement, explain
from sightline.findings.evidence import Evidence
from sightline.findings.need import need_finding
from sightline.findings.thresholds import Thresholds
from sightline.findings.verdict import verdict_of
from sightline.results import Answer, Estimate, Finding, Outcome, Verdict
from sightline.statistics import bootstrap
from sightline.statistics.contrast import Contrast, benjamini_hochberg, p_value, paired

_REFERENCES = {"SL-101": "gradient", "SL-102": "deletion", "SL-104": "free", "SL-103": "references"}


@dataclass(frozen=True)
class Judgement:
    """What an audit concludes."""

    findings: tuple[Finding, ...]
    verdict: Verdict


def judge(
    outcomes: Mapping[str, Outcome], label_names: tuple[str, ...], thresholds: Thresholds, seed: int
) -> Judgement:
    """Answer every claim and apply the verdict table; the order is that of `CLAIMS`."""
    evidence = Evidence(outcomes, label_names, thresholds, seed)
    found = {
        "SL-001": need_finding(evidence),
        **{code: _agreement(evidence, code) for code in _REFERENCES},
        "SL-201": _reach(evidence),
        "SL-202": _simple(evidence, "SL-202", "permutation", "ratio", "ratio_floor"),
        "SL-301": _simple(evidence, "SL-301", "erasure", "area", "floor"),
    }
    found = _hold_back(found)
    adjusted = benjamini_hochberg({code: f.p for code, f in found.items() if f.p is not None})
    findings = tuple(replace(found[code], p_adjusted=adjusted.get(code)) for code in CLAIMS)
    return Judgement(findings, verdict_of({f.code: f for f in findings}, evidence))


def _finding(
    evidence: Evidence, code: str, contrast: Contrast, by_class: Mapping[str, Estimate], p: float | None = None
) -> Finding:
    delta = evidence.thresholds.delta[code]
    answer = decide(contrast.effect, delta)
    reason = explain(answer, contrast.effect, delta) + disagreement(by_class, delta)
    return Finding(
        code, CLAIMS[code].text, answer, reason, CLAIMS[code].bears, delta, contrast.number, contrast.floor,
        contrast.effect, p, by_class=by_class,
    )  # fmt: skip


def _not_applicable(evidence: Evidence, code: str, reason: str) -> Finding:
    return Finding(
        code, CLAIMS[code].text, "not applicable", reason, CLAIMS[code].bears, evidence.thresholds.delta[code]
    )


def _undefined(evidence: Evidence, measure: str, quantity: str) -> str:
    """Say why a quantity is undefined on every text, from the reasons that were counted."""
    measurement = evidence.taken(measure)
    assert measurement is not None  # callers have asked `taken` first
    counts = measurement.undefined.get(quantity, {})
    return "undefined for every text: " + ", ".join(f"{reason} ({n})" for reason, n in counts.items())


def _contrast(evidence: Evidence, measure: str, quantity: str, floor: str) -> tuple[Contrast, dict[str, Estimate]]:
    observed, level = evidence.array(measure, quantity), evidence.array(measure, floor)
    stage = f"{measure}.{quantity}"
    by_class = {
        name: paired(observed[rows], level[rows], evidence.seed, f"{stage} {name}").effect
        for name, rows in evidence.by_class().items()
    }
    return paired(observed, level, evidence.seed, stage), by_class


def _simple(evidence: Evidence, code: str, measure: str, quantity: str, floor: str) -> Finding:
    """Judge a number that has one floor, paired by text."""
    if evidence.taken(measure) is None:
        return _not_applicable(evidence, code, evidence.why_not(measure))
    contrast, by_class = _contrast(evidence, measure, quantity, floor)
    if contrast.effect.n == 0:
        return _not_applicable(evidence, code, _undefined(evidence, measure, quantity))
    return _finding(evidence, code, contrast, by_class)


def _agreement(evidence: Evidence, code: str) -> Finding:
    """Judge captured importance against what permuted weights capture."""
    if evidence.taken("agreement") is None:
        return _not_applicable(evidence, code, evidence.why_not("agreement"))
    name = _REFERENCES[code]
    contrast, by_class = _contrast(evidence, "agreement", f"captured.{name}", f"chance.{name}")
    if contrast.effect.n == 0:
        return _not_applicable(evidence, code, _undefined(evidence, "agreement", f"captured.{name}"))
    return _finding(evidence, code, contrast, by_class, _drawn_p(evidence, name))


def _drawn_p(evidence: Evidence, reference: str) -> float | None:
    if reference == "references":
        return None  # no draws are kept for the references among themselves
    observed = evidence.array("agreement", f"captured.{reference}")
    return p_value(observed, evidence.array("agreement", f"draws.{reference}"))


def _reach(evidence: Evidence) -> Finding:
    """Judge the share of texts whose decision some attention could change: exact on each text, so without a floor."""
    if evidence.taken("reach") is None:
        return _not_applicable(evidence, "SL-201", evidence.why_not("reach"))
    open_ = 1 - evidence.array("reach", "proof")
    share = bootstrap.proportion(open_)
    by_class = {name: bootstrap.proportion(open_[rows]) for name, rows in evidence.by_class().items()}
    finding = _finding(evidence, "SL-201", Contrast(share, share, share), by_class)
    return replace(finding, floor=None)


def _hold_back(found: Mapping[str, Finding]) -> dict[str, Finding]:
    """Leave agreement with the references open where the references do not agree with each other."""
    if found["SL-103"].verdict != "contradicted":
        return dict(found)
    open_: Answer = "inconclusive"
    return {
        code: replace(finding, verdict=open_, reason=f"gradient and deletion disagree (SL-103); {finding.reason}")
        if code in ("SL-101", "SL-102", "SL-104") and finding.verdict in ("supported", "contradicted")
        else finding
        for code, finding in found.items()
    }
