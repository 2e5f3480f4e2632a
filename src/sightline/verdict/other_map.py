"""Rephrase a judgement for a map other than attention, with the map's name."""

from __future__ import annotations

from dataclasses import replace

from sightline.core.audited_map import AuditedMap, reword_for_map
from sightline.core.needs import MORE, NEEDS_PREFIX
from sightline.core.results import Finding, Reason, Verdict
from sightline.verdict.judge import Judgement


def name_audited_map(judgement: Judgement, audited: AuditedMap) -> Judgement:
    """Name the audited map wherever the judgement says attention; nothing else changes."""
    return replace(
        judgement,
        verdict=_verdict(judgement.verdict, audited.noun),
        findings=tuple(_finding(one) for one in judgement.findings),
    )


def _verdict(verdict: Verdict, noun: str) -> Verdict:
    return replace(
        verdict,
        of_map=noun,
        reasons=tuple(_reason(one, noun) for one in verdict.reasons),
        by_class={name: _verdict(one, noun) for name, one in verdict.by_class.items()},
    )


def _reason(reason: Reason, noun: str) -> Reason:
    """Reword the result of a test; one that was not run would name attention, which is missing."""
    if not reason.code or reason.result == "not run":
        return replace(reason, behind=_lacking(reason.behind))
    return replace(reason, words=reword_for_map(reason.words, noun))


def _finding(finding: Finding) -> Finding:
    if finding.result != "not run":
        return finding
    return replace(finding, notes=tuple(_lacking(one) for one in finding.notes))


def _lacking(text: str) -> str:
    """Say what a test needs in words."""
    return MORE + text.removeprefix(NEEDS_PREFIX) if text.startswith(NEEDS_PREFIX) else text
