"""Convert saved audits of schema 3: there, test results had other names and reasons were sentences."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

FORMER = 3
"""The older schema that can still be read."""
_NAMES = {
    "SL-303": "Transfer",
    "SL-301": "Removal",
    "SL-304": "Own effect",
    "SL-305": "Range",
    "SL-306": "Presence",
    "SL-307": "Top word",
    "SL-308": "Share of texts",
    "SL-101": "Gradient agreement",
    "SL-102": "Leave-one-out agreement",
    "SL-104": "Attention-free agreement",
    "SL-001": "Need",
    "SL-105": "Polarity",
    "SL-106": "Words, not punctuation",
    "SL-402": "Own word",
    "SL-202": "Permutation",
    "SL-205": "Prediction flip",
    "SL-401": "Rank information",
    "SL-103": "Comparison agreement",
    "SL-107": "Selection",
    "SL-201": "Sensitivity to attention",
    "SL-203": "Minimal attention mass",
    "SL-403": "Focus of states",
    "SL-302": "Sufficiency",
    "SL-601": "Seed stability",
}
"""The names of the tests; audits of schema 3 used sentences instead."""
_RESULTS = {"supported": "passed", "contradicted": "failed", "not applicable": "not run"}
_ROLES = {"decides": "required", "caveat": "must not fail", "context": "informational"}
_FIELDS = {"effect": "score", "delta": "threshold", "floor": "baseline"}
_TESTED = re.compile(
    r"(?:([A-Z]+-\d+) (supported|contradicted|inconclusive|not applicable): )?(.*?)(?: \((.*)\))?",
    re.DOTALL,
)


def migrated(summary: Mapping[str, Any]) -> dict[str, Any]:
    """Convert the summary of an audit of schema 3 to this schema."""
    fields = {
        name: value for name, value in summary.items() if name not in ("not_applicable", "failed")
    }
    return fields | {
        "schema": 4,
        "verdict_detail": _verdict(summary["verdict_detail"]),
        "findings": [_finding(one) for one in summary["findings"]],
        "maps": [one | {"answer": _result(one["answer"])} for one in summary["maps"]],
        "not_run": summary["not_applicable"],
        "errors": summary["failed"],
    }


def migrated_run(summary: Any) -> Any:
    """Convert the summary of a stored run to this schema; an invalid one is left for its reader to
    refuse.
    """
    findings = summary.get("findings") if isinstance(summary, dict) else None
    if not isinstance(findings, dict):
        return summary
    return summary | {"findings": {code: _conclusion(one) for code, one in findings.items()}}


def _conclusion(conclusion: Any) -> Any:
    if not isinstance(conclusion, dict) or "verdict" not in conclusion:
        return conclusion
    return {"result": _result(conclusion["verdict"]), "score": conclusion.get("effect")}


def _finding(finding: Mapping[str, Any]) -> dict[str, Any]:
    answers = {name: _result(answer) for name, answer in finding["answers"].items()}
    role = _ROLES.get(finding["role"], finding["role"])
    kept = {
        name: value for name, value in finding.items() if name not in ("claim", "verdict", *_FIELDS)
    }
    name = _NAMES.get(finding["code"], finding["claim"])
    kept |= {now: finding[before] for before, now in _FIELDS.items()}
    return kept | {
        "name": name,
        "result": _result(finding["verdict"]),
        "role": role,
        "answers": answers,
    }


def _verdict(verdict: Mapping[str, Any]) -> dict[str, Any]:
    kept = {name: value for name, value in verdict.items() if name != "text"}
    by_class = {name: _verdict(one) for name, one in verdict["by_class"].items()}
    reasons = [_reason(one) for one in verdict["reasons"]]
    return kept | {"level": verdict["text"], "reasons": reasons, "by_class": by_class}


def _reason(sentence: str) -> dict[str, Any]:
    found = _TESTED.fullmatch(sentence)
    code, answer, words, behind = found.groups() if found else (None, None, sentence, None)
    if answer == "not applicable" and not words.startswith("not tested"):
        words = f"not tested: {words}"  # older summaries omit these words
    return {
        "words": words,
        "code": code or "",
        "result": answer and _result(answer),
        "behind": behind or "",
    }


def _result(answer: str) -> str:
    return _RESULTS.get(answer, answer)
