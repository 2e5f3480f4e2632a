"""Rows of the page's tables: the numbers of an audit as text, and why there are none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

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


def missing_rows(audit: Results) -> dict[str, list[MissingRow]]:
    """List everything that has no number."""
    return {"undefined": undefined_rows(audit), "skipped": skipped_rows(audit), "failed": failed_rows(audit)}
