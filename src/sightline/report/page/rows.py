"""Rows of the page's tables: numbers of an audit as text, settings as flat lists of keys and values."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sightline.report.numerals import count, number, span
from sightline.report.sentences import side
from sightline.results import Estimate, Failed, Finding, NotApplicable, Results


@dataclass(frozen=True)
class EstimateRow:
    """An estimate as the cells of a row; ``beside`` says where it lies beside δ, if that was asked."""

    name: str
    value: str
    span: str
    n: str
    method: str
    beside: str = ""


@dataclass(frozen=True)
class MissingRow:
    """Something that has no number, why, and how often (empty where that is no count)."""

    name: str
    reason: str
    count: str = ""


def estimate_row(name: str, estimate: Estimate, delta: float | None = None) -> EstimateRow:
    """Write one estimate, and on which side of ``delta`` its interval lies where that is given."""
    beside = "" if delta is None else side(estimate, delta)
    cells = number(estimate.value), span(estimate.low, estimate.high), count(estimate.n)
    return EstimateRow(name, *cells, estimate.method, beside)


def estimate_rows(estimates: Mapping[str, Estimate]) -> list[EstimateRow]:
    """Write estimates in their order."""
    return [estimate_row(name, estimate) for name, estimate in estimates.items()]


def class_rows(finding: Finding) -> list[EstimateRow]:
    """Write the effect of a finding by class, each beside δ."""
    return [estimate_row(name, effect, finding.delta) for name, effect in finding.by_class.items()]


def undefined_rows(audit: Results) -> list[MissingRow]:
    """List the undefined values by quantity and reason."""
    counted = audit.undefined().items()
    return [MissingRow(name, why, count(n)) for name, reasons in counted for why, n in reasons.items()]


def skipped_rows(audit: Results) -> list[MissingRow]:
    """List the measures that do not apply, with their reasons."""
    return [MissingRow(m.code, m.reason) for m in audit.measurements.values() if isinstance(m, NotApplicable)]


def failed_rows(audit: Results) -> list[MissingRow]:
    """List the measures that broke, with their errors."""
    return [MissingRow(m.code, m.error) for m in audit.measurements.values() if isinstance(m, Failed)]


def settings_rows(settings: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Flatten nested settings to rows of ``outer.inner`` and value.

    >>> settings_rows({"fit": {"epochs": 20, "amsgrad": False}, "limit": None})
    [('fit.epochs', '20'), ('fit.amsgrad', 'false'), ('limit', 'none')]
    """
    return list(_flat(settings, ""))


def _flat(settings: Mapping[str, Any], outer: str) -> Iterator[tuple[str, str]]:
    for key, value in settings.items():
        name = f"{outer}.{key}" if outer else str(key)
        if _is_part(value):
            yield name, _part(value)
        elif isinstance(value, Mapping) and value:
            yield from _flat(value, name)
        else:
            yield name, _setting(value)


def _is_part(value: Any) -> bool:
    """Tell a named part with its options (`spec.Part` as JSON), which reads better in one line."""
    return (
        isinstance(value, Mapping) and set(value) == {"name", "options"} and isinstance(value["options"], list | tuple)
    )


def _part(value: Mapping[str, Any]) -> str:
    inside = ", ".join(f"{key}={_setting(option)}" for key, option in value["options"])
    return f"{value['name']}({inside})" if inside else str(value["name"])


def _setting(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple) and not any(isinstance(item, list | tuple | Mapping) for item in value):
        return ", ".join(map(_setting, value)) or "none"
    if isinstance(value, Mapping | list | tuple):
        return json.dumps(value, ensure_ascii=False, default=str) if value else "none"
    return str(value) if value != "" else "(empty)"
