"""The verdict of the whole: the first row of the table that applies (docs/verdict.md)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sightline.findings.claims import CLAIMS, UNMEASURED
from sightline.results import CAN, CANNOT_TELL, CAVEATS, MUST_NOT, Answer, Finding, Verdict

if TYPE_CHECKING:
    from sightline.findings.evidence import Evidence  # with its statistics, which the words of the table do not need

IDENTITY = 1e-4
"""Largest difference allowed between the model's logits and those decoded from its own attention."""


@dataclass(frozen=True)
class Case:
    """What a row of the table may look at."""

    found: Mapping[str, Finding]
    evidence: Evidence

    def answer(self, code: str) -> Answer | None:
        """Give the answer of a finding; None for a claim that this version does not test."""
        return self.found[code].verdict if code in self.found else None

    def short(self) -> tuple[str, ...]:
        """Name the findings that bear on the verdict and are not supported."""
        return tuple(c for c in CLAIMS if self.found[c].bears and self.found[c].verdict != "supported")

    def reasons(self, *codes: str) -> tuple[str, ...]:
        """Say of each finding what its answer means, and why it is the answer."""
        named = [self.found[code] for code in codes]
        return tuple(f"{one.code} {one.verdict}: {_said(one)} ({one.reason})" for one in named)


Ground = tuple[tuple[str, ...], tuple[str, ...]]
"""What decided, by its codes, and the reasons."""


@dataclass(frozen=True)
class Row:
    """One row: when it applies, in words and as a rule that gives its ground, and the verdict it gives."""

    number: int
    verdict: str
    words: str
    ground: Callable[[Case], Ground | None]


def verdict_of(found: Mapping[str, Finding], evidence: Evidence) -> Verdict:
    """Apply the table from the top; later rows are not looked at."""
    case = Case(found, evidence)
    for row in TABLE:
        ground = row.ground(case)
        if ground is not None:
            return Verdict(row.verdict, row.number, *ground)
    raise AssertionError("the last row always applies")


def _unfit(case: Case) -> Ground | None:
    """Say what keeps the audit from concluding anything at all."""
    outputs, least = case.evidence.taken("outputs"), case.evidence.thresholds.minimum_texts
    if outputs is None:
        return (), (f"the model could not be run: {case.evidence.why_not('outputs')}",)
    if (n := len(case.evidence.predicted)) < least:
        return (), (f"{n} test texts; a verdict rests on at least {least}: audit more texts",)
    error = _identity_error(case.evidence)
    if not error <= IDENTITY:
        return (), (f"decoding the model's own attention misses its logits by {error:.2g} (allowed: {IDENTITY:g})",)
    if case.answer("SL-301") == "not applicable":
        return ("SL-301",), (f"SL-301 is not applicable: {case.found['SL-301'].reason}",)
    return None


def _identity_error(evidence: Evidence) -> float:
    return 0.0 if evidence.taken("need") is None else float(np.max(evidence.array("need.identity_error")))


def _not_used(case: Case) -> Ground | None:
    if case.answer("SL-301") == "contradicted":
        return ("SL-301",), case.reasons("SL-301")
    both = "SL-101", "SL-102"
    return (both, case.reasons(*both)) if all(case.answer(code) == "contradicted" for code in both) else None


def _not_needed(case: Case) -> Ground | None:
    return (("SL-001",), case.reasons("SL-001")) if case.answer("SL-001") == "contradicted" else None


def _faithful(case: Case) -> Ground | None:
    needed = all(case.answer(code) == "supported" for code in ("SL-001", "SL-104", "SL-301", "SL-402"))
    used = "supported" in (case.answer("SL-101"), case.answer("SL-102"))
    charged = any(case.answer(code) == "contradicted" for code in ("SL-202", "SL-205", "SL-401"))
    return (tuple(case.found), ()) if needed and used and not charged else None


def _with_caveats(case: Case) -> Ground | None:
    if case.answer("SL-301") != "supported":
        return None
    short = case.short()
    return ("SL-301", *short), (*case.reasons(*short), *_unmeasured(case))


def _open(case: Case) -> Ground:
    return case.short(), case.reasons(*case.short())


def _said(finding: Finding) -> str:
    claim = CLAIMS[finding.code]
    if finding.verdict == "contradicted":
        return claim.caveat
    return f"it could not be shown that {claim.text}" if finding.verdict == "inconclusive" else claim.text


def _unmeasured(case: Case) -> tuple[str, ...]:
    missing = [f"{code}, {what}" for code, what in UNMEASURED.items() if code not in case.found]
    return (f"not tested by this version: {'; '.join(missing)}",) if missing else ()


TABLE = (
    Row(
        1,
        CANNOT_TELL,
        "the model’s answers could not be taken, or there are too few texts, or decoding the model’s own attention "
        f"misses its logits by more than {IDENTITY:g}, or removal could not be tested (SL-301 is not applicable)",
        _unfit,
    ),
    Row(
        2,
        MUST_NOT,
        "removing the attended words does not change the answer (SL-301 is contradicted), or neither the gradient nor "
        "deletion agrees with the attention (SL-101 and SL-102 are both contradicted)",
        _not_used,
    ),
    Row(
        3,
        MUST_NOT,
        "attention is not needed: the model does as well without choosing (SL-001 is contradicted)",
        _not_needed,
    ),
    Row(
        4,
        CAN,
        "SL-001, SL-104, SL-301, SL-402 and at least one of SL-101 and SL-102 are supported, and none of SL-202, "
        "SL-205 and SL-401 is contradicted",
        _faithful,
    ),
    Row(
        5,
        CAVEATS,
        "removing the attended words changes the answer (SL-301 is supported), with the caveats listed: every bearing "
        "finding that is not supported, and the claims not tested",
        _with_caveats,
    ),
    Row(6, CANNOT_TELL, "no other row of the table applies", _open),
)
"""The rows in their order; a later row is looked at only where no earlier one applies."""
