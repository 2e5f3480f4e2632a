"""The verdict of the whole: the first row of the table that applies (docs/verdict.md)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from sightline.findings.claims import CLAIMS, UNMEASURED
from sightline.findings.evidence import Evidence
from sightline.results import Finding, Verdict

CAN = "can be shown"
CAVEATS = "can be shown with caveats"
MUST_NOT = "must not be shown"
CANNOT_TELL = "cannot tell"
VERDICTS = (CAN, CAVEATS, MUST_NOT, CANNOT_TELL)

IDENTITY = 1e-4
"""Largest difference allowed between the model's logits and those decoded from its own attention."""


def verdict_of(found: Mapping[str, Finding], evidence: Evidence) -> Verdict:
    """Apply the table from the top; later rows are not looked at."""
    answers = {code: finding.verdict for code, finding in found.items()}
    if broken := _unfit(found, evidence):
        return Verdict(CANNOT_TELL, 1, ("SL-301",) if "SL-301" in broken else (), (broken,))
    if answers["SL-301"] == "contradicted":
        return Verdict(MUST_NOT, 2, ("SL-301",), _reasons(found, "SL-301"))
    if answers["SL-101"] == answers["SL-102"] == "contradicted":
        return Verdict(MUST_NOT, 2, ("SL-101", "SL-102"), _reasons(found, "SL-101", "SL-102"))
    if answers["SL-001"] == "contradicted":
        return Verdict(MUST_NOT, 3, ("SL-001",), _reasons(found, "SL-001"))
    short = [code for code in CLAIMS if found[code].bears and answers[code] != "supported"]
    if answers["SL-301"] == "supported":
        if _faithful(answers):
            return Verdict(CAN, 4, tuple(answers), ())
        return Verdict(CAVEATS, 5, ("SL-301", *short), (*_reasons(found, *short), *_unmeasured(answers)))
    return Verdict(CANNOT_TELL, 6, tuple(short), _reasons(found, *short))


def _unfit(found: Mapping[str, Finding], evidence: Evidence) -> str:
    """Say what keeps the audit from concluding anything at all; empty where nothing does."""
    outputs = evidence.taken("outputs")
    if outputs is None:
        return f"the model could not be run: {evidence.why_not('outputs')}"
    n, least = len(evidence.predicted), evidence.thresholds.minimum_texts
    if n < least:
        return f"{n} test texts; a verdict rests on at least {least}: audit more texts"
    need = evidence.taken("need")
    error = 0.0 if need is None else float(np.max(np.asarray(need.values["identity_error"])))
    if not error <= IDENTITY:
        return f"decoding the model's own attention misses its logits by {error:.2g} (allowed: {IDENTITY:g})"
    if found["SL-301"].verdict == "not applicable":
        return f"SL-301 is not applicable: {found['SL-301'].reason}"
    return ""


def _faithful(answers: Mapping[str, str]) -> bool:
    needed = all(answers.get(code) == "supported" for code in ("SL-001", "SL-104", "SL-301", "SL-402"))
    used = "supported" in (answers["SL-101"], answers["SL-102"])
    return needed and used and not any(answers.get(code) == "contradicted" for code in ("SL-202", "SL-205", "SL-401"))


def _reasons(found: Mapping[str, Finding], *codes: str) -> tuple[str, ...]:
    return tuple(f"{code} {found[code].verdict}: {_said(found[code])} ({found[code].reason})" for code in codes)


def _said(finding: Finding) -> str:
    claim = CLAIMS[finding.code]
    if finding.verdict == "contradicted":
        return claim.caveat
    return f"it could not be shown that {claim.text}" if finding.verdict == "inconclusive" else claim.text


def _unmeasured(answers: Mapping[str, str]) -> tuple[str, ...]:
    missing = [f"{code}, {what}" for code, what in UNMEASURED.items() if code not in answers]
    return (f"not tested by this version: {'; '.join(missing)}",) if missing else ()
