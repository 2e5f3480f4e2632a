"""Rephrase a judgement for a map other than attention, with the map's name."""

from __future__ import annotations

import re
from dataclasses import replace

from sightline.config.measure_needs import NEEDS as NEEDED
from sightline.core.audited_map import AuditedMap, reword_for_map
from sightline.core.needs import AFFINE, OTHER_ATTENTION
from sightline.core.results import Finding, Reason, Verdict
from sightline.verdict.catalogue import AUDIT_TESTS
from sightline.verdict.judge import Judgement

NEEDS, UNASKED = "needs ", "it was not asked for"
MORE = "needs more than answers: "
"""Prefix of the reason why a test was not run for a model that gives only predictions."""
_IN_WORDS = {
    OTHER_ATTENTION: "weights that can be replaced",
    AFFINE: "the logits of each word alone",
    "decode": "weights that can be replaced",
    "embedding_grad": "gradients",
    "token_logits": "the logits of each word alone",
    "states": "hidden states",
}
"""What a model would have to offer, in words."""


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
        return replace(reason, behind=_lacking(reason.code, reason.behind))
    return replace(reason, words=reword_for_map(reason.words, noun))


def _finding(finding: Finding) -> Finding:
    if finding.result != "not run":
        return finding
    return replace(finding, notes=tuple(_lacking(finding.code, one) for one in finding.notes))


def _lacking(code: str, text: str) -> str:
    """Say what a test needs, also for a test that the user did not choose."""
    needs = sorted(NEEDED[AUDIT_TESTS[code].measure]) if code in AUDIT_TESTS else []
    if not text.startswith(NEEDS) and not (needs and text.startswith(UNASKED)):
        return text
    what = text.removeprefix(NEEDS) if text.startswith(NEEDS) else ", ".join(needs)
    for offer, words in _IN_WORDS.items():
        what = re.sub(rf"(?<!\w){re.escape(offer)}(?!\w)", words, what)
    return f"{MORE}{what}"
