"""Rows of the page's tables: the numbers of an audit as text, and why some are missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sightline.core.results import Estimate, Finding, Learned, MapRow, Results
from sightline.report.alternative_maps import MapFamily, numbers
from sightline.report.map_names import map_title
from sightline.report.number_format import count, interval, level_of, number, span, texts
from sightline.report.sentences import but_not_for, side
from sightline.verdict.thresholds import default_thresholds


@dataclass(frozen=True)
class EstimateRow:
    """An estimate, and the cells of its row; ``side`` is its side of the threshold, ``answer`` the
    result of the test.
    """

    estimate: Estimate
    name: str
    value: str
    span: str
    n: str
    method: str
    side: str = ""
    answer: str = ""


@dataclass(frozen=True)
class MapLine:
    """A map as the cells of a row: what its words did, the texts behind each number, and notes."""

    name: str
    chosen: bool
    answer: str
    cells: tuple[str, ...]
    n: str
    notes: tuple[str, ...]


@dataclass(frozen=True)
class MissingRow:
    """A missing number, its reason, and how often it is missing (empty if that is no count)."""

    name: str
    reason: str
    count: str = ""


def estimate_row(name: str, estimate: Estimate, threshold: float | None = None) -> EstimateRow:
    """Write one estimate, with the side of ``threshold`` on which its interval lies, if given."""
    there = "" if threshold is None else side(estimate, threshold)
    cells = number(estimate.value), span(estimate.low, estimate.high), count(estimate.n)
    return EstimateRow(estimate, name, *cells, estimate.method, there)


def usual_method(rows: Sequence[EstimateRow]) -> str:
    """Name the most common method, to be said once; empty if no two rows share one."""
    ((method, times),) = Counter(row.method for row in rows).most_common(1) or [("", 0)]
    return method if times > 1 else ""


def interval_level(rows: Sequence[EstimateRow]) -> str:
    """Give the level of the intervals in per cent, or several levels if they differ."""
    return level_of(row.estimate for row in rows)


def estimate_rows(estimates: Mapping[str, Estimate]) -> list[EstimateRow]:
    """Write estimates in their order."""
    return [estimate_row(name, estimate) for name, estimate in estimates.items()]


def share_rows(learned: Learned | None) -> list[EstimateRow]:
    """Write the share of each label among the texts, and among the predictions."""
    shares = learned.classes or {} if learned is not None else {}
    pairs = [({"label": one.texts, "answer": one.predicted}, name) for name, one in shares.items()]
    return [
        estimate_row(f"{what} {name}", estimate)
        for both, name in pairs
        for what, estimate in both.items()
    ]


def class_rows(finding: Finding) -> list[EstimateRow]:
    """Write the score of a test by class, each with its result and its side of the threshold, or
    how many texts it lacks.
    """
    rows = [
        estimate_row(name, score, finding.threshold) for name, score in finding.by_class.items()
    ]
    answered = [replace(row, answer=finding.answers.get(row.name, "")) for row in rows]
    return [_with_lack(row, default_thresholds().fewest(finding.code)) for row in answered]


def _with_lack(row: EstimateRow, fewest: int) -> EstimateRow:
    """Name the texts that a test of a class lacks, where they are the reason for its result."""
    n = row.estimate.n
    lacks = row.answer == "inconclusive" and n < fewest
    return replace(row, side=f"{texts(n)}, {count(fewest)} needed") if lacks else row


def map_lines(family: MapFamily) -> list[MapLine]:
    """Write the scores of each map of a family."""
    return [
        replace(
            _map_line(row, list(numbers(row).values())),
            name=family.called(row.name),
            chosen=row.chosen and not family.alone,
        )
        for row in family.rows
    ]


def _map_line(row: MapRow, found: Sequence[Estimate | None]) -> MapLine:
    """Write a map; the number of texts is written once if all numbers share it."""
    cells = tuple("—" if one is None else interval(one) for one in found)
    counts = [count(one.n) for one in found if one is not None]
    n = " / ".join(counts[:1] if len(set(counts)) == 1 else counts)
    against = but_not_for(row.against).removeprefix(", but ")
    notes = (*row.notes, against) if against else row.notes
    return MapLine(map_title(row.name), row.chosen, row.answer, cells, n or "—", notes)


def undefined_rows(audit: Results) -> list[MissingRow]:
    """List the undefined values by quantity and reason."""
    counted = audit.undefined().items()
    return [
        MissingRow(name, why, count(n)) for name, reasons in counted for why, n in reasons.items()
    ]


def skipped_rows(audit: Results) -> list[MissingRow]:
    """List the measures that do not apply, with their reasons."""
    return [MissingRow(code, reason) for code, reason in audit.not_run.items()]


def failed_rows(audit: Results) -> list[MissingRow]:
    """List the measures that broke, with their errors."""
    return [MissingRow(code, error) for code, error in audit.errors.items()]


def left_out_rows(audit: Results) -> list[MissingRow]:
    """List the quantities that measures had to leave out, with the reasons."""
    return [MissingRow(name, why) for name, why in audit.missing().items()]


def missing_rows(audit: Results) -> dict[str, list[MissingRow]]:
    """List everything that has no number."""
    return {
        "undefined": undefined_rows(audit),
        "left_out": left_out_rows(audit),
        "skipped": skipped_rows(audit),
        "failed": failed_rows(audit),
    }
