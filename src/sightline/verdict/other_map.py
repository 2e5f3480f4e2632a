"""A judgement of another map than attention, in words that name it."""

from __future__ import annotations

from dataclasses import replace

from sightline.core.audited_map import AuditedMap, worded
from sightline.core.results import Finding, Reason, Verdict
from sightline.verdict.judge import Judgement

NEEDS = "needs "
MORE = "needs more than answers: "
"""How the reason begins for which a test was not run of a model that only answers."""
_IN_WORDS = {
    "decode or token_logits": "weights that can be replaced",
    "decode": "weights that can be replaced",
    "embedding_grad": "gradients",
    "token_logits": "logits of words",
}
"""What a model would have to offer, in words."""


def concerning(judgement: Judgement, audited: AuditedMap) -> Judgement:
    """Name the audited map wherever the judgement speaks of attention; nothing else changes."""
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
    """Word what a test found; a test that was not run speaks of attention, which there is not."""
    if not reason.code or reason.result == "not run":
        return replace(reason, behind=_lacking(reason.behind))
    return replace(reason, words=worded(reason.words, noun))


def _finding(finding: Finding) -> Finding:
    if finding.result != "not run":
        return finding
    return replace(finding, notes=tuple(map(_lacking, finding.notes)))


def _lacking(text: str) -> str:
    if not text.startswith(NEEDS):
        return text
    what = text.removeprefix(NEEDS)
    for offer, words in _IN_WORDS.items():
        what = what.replace(offer, words)
    return f"{MORE}{what}"
