"""An audit as a section of a model card on the Hugging Face Hub, with its scores as metadata."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from sightline.core.results import Estimate, Results
from sightline.report.card import card
from sightline.report.card_text import card_markdown
from sightline.report.number_format import ci_and_n, trimmed_number
from sightline.report.provenance import card_name
from sightline.report.sanitize import one_line
from sightline.report.sentences import question

if TYPE_CHECKING:
    from sightline.verdict.seed_summary import SeedSummary


def hub_card(audit: Results, seeds: SeedSummary | None = None) -> str:
    """Write the metadata block and the section of a model card.

    Only the section has the verdict, because metadata hold numbers.
    """
    section = f"## {question(audit.verdict)}\n\n{card_markdown(card(audit, seeds))}"
    metrics = list(_metrics(audit))
    return f"{_metadata(audit, metrics)}{section}" if metrics else section


def _metadata(audit: Results, metrics: list[dict[str, Any]]) -> str:
    data = card_name(audit, "data") or "unnamed"
    result = {
        "task": {"type": "text-classification"},
        "dataset": {"name": data, "type": data, "split": "test"},
        "metrics": metrics,
    }
    index = [{"name": card_name(audit, "model") or "unnamed", "results": [result]}]
    lines = ["---", *_yaml({"model-index": index}), "---"]
    return "\n".join(lines) + "\n\n"


def _metrics(audit: Results) -> Iterator[dict[str, Any]]:
    """Give accuracy, and the score of each test that affects the verdict."""
    if audit.learned is not None:
        yield from _metric("accuracy", "Accuracy", audit.learned.accuracy)
    for finding in audit.findings:
        if finding.bears and finding.score is not None:
            threshold = (
                ""
                if finding.threshold is None
                else f"; threshold {trimmed_number(finding.threshold)}"
            )
            kind = f"sightline-{finding.code.lower()}"
            yield from _metric(kind, f"{finding.title} score", finding.score, threshold)


def _metric(kind: str, name: str, value: Estimate, more: str = "") -> Iterator[dict[str, Any]]:
    if math.isfinite(value.value):
        number = round(value.value, 4) or 0.0  # never −0.0
        yield {"type": kind, "name": f"{name} ({ci_and_n(value)}{more})", "value": number}


def _yaml(value: Any, indent: str = "") -> Iterator[str]:
    """Write mappings and lists of mappings as YAML, every text in quotes."""
    if isinstance(value, list):
        for one in value:
            first, *others = _yaml(one, f"{indent}  ")
            yield f"{indent}- {first.lstrip()}"
            yield from others
        return
    for key, one in value.items():
        if isinstance(one, dict | list):
            yield f"{indent}{key}:"
            yield from _yaml(one, f"{indent}  " if isinstance(one, dict) else indent)
        else:
            yield f"{indent}{key}: {_scalar(one)}"


def _scalar(value: Any) -> str:
    """Write a number or a text; a JSON string of printable characters is valid YAML."""
    text = one_line(value) if isinstance(value, str) else value
    return json.dumps(text, ensure_ascii=False)
