"""From the runs of a study to its table: a row for each setting, the mean over its seeds in each column."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from sightline.experiments.grid import Grid
from sightline.experiments.rows import main_numbers
from sightline.experiments.store import Summary
from sightline.findings.claims import CLAIMS
from sightline.results import Estimate, Table, TableCell
from sightline.spec.values import RunSpec
from sightline.statistics.across import across_seeds

NUMBERS = ("accuracy", "f1", *CLAIMS)
"""The columns after the verdict: metrics, and the effect of each finding."""
Members = Sequence[tuple[RunSpec, Summary | None]]
Ended = Sequence[tuple[RunSpec, Summary]]
Numbers = Mapping[str, Estimate]


def tabulate(grid: Grid, found: Mapping[str, Summary], elsewhere: Collection[str] = ()) -> Table:
    """Put the runs there are into a table; its notes name those that are missing, and those that failed.

    ``elsewhere`` holds the keys of those that another process is at.
    """
    groups = _groups(grid, found)
    axes = tuple(axis for axis in grid.axes if axis != "seed")
    notes = [
        note
        for key, labels in zip(grid.keys, grid.labels, strict=True)
        for note in _note(found.get(key), labels, grid, key in elsewhere)
    ]
    return Table(
        title=grid.name,
        columns=("verdict", *NUMBERS),
        rows=tuple(_row(_done(members), len(members)) for members in groups.values()),
        row_names=tuple(groups),
        row_axes=axes,
        notes=tuple(notes),
        partial=_partial(grid, found, elsewhere),
    )


def _partial(grid: Grid, found: Mapping[str, Summary], elsewhere: Collection[str]) -> str:
    """Count the cells that the table lacks, by what became of them."""
    missing = [key for key in grid.keys if key not in found]
    away = sum(key in elsewhere for key in missing)
    failed = sum(key in found and found[key].state == "failed" for key in grid.keys)
    counts = {"missing": len(missing) - away, "being run by another process": away, "failed": failed}
    told = ", ".join(f"{count} {what}" for what, count in counts.items() if count)
    return told and f"{told}, of {len(grid.cells)} cells"


def _groups(grid: Grid, found: Mapping[str, Summary]) -> dict[tuple[str, ...], list[tuple[RunSpec, Summary | None]]]:
    """Put the seeds of a setting together, in the order of the grid."""
    groups: dict[tuple[str, ...], list[tuple[RunSpec, Summary | None]]] = {}
    for cell, key, labels in zip(grid.cells, grid.keys, grid.labels, strict=True):
        setting = tuple(label for axis, label in zip(grid.axes, labels, strict=True) if axis != "seed")
        groups.setdefault(setting, []).append((cell, found.get(key)))
    return groups


def _done(members: Members) -> list[tuple[RunSpec, Summary]]:
    return [(cell, summary) for cell, summary in members if summary is not None and summary.state == "done"]


def _row(done: Ended, planned: int) -> tuple[TableCell, ...]:
    numbers = [(cell, summary.key, _numbers(summary)) for cell, summary in done]
    cells = (_verdicts(done), *(_number(numbers, name) for name in NUMBERS))
    told = f"{len(done)} of {planned} seeds" if 0 < len(done) < planned else ""
    return tuple(replace(cell, note=cell.note or told) for cell in cells)


def _numbers(summary: Summary) -> Numbers:
    """Give the estimates of a run by their quantity."""
    known = ((one.quantity, one.estimate()) for one in main_numbers(summary))
    return {quantity: estimate for quantity, estimate in known if estimate is not None}


def _number(numbers: Sequence[tuple[RunSpec, str, Numbers]], name: str) -> TableCell:
    known = [(cell, key, found[name]) for cell, key, found in numbers if name in found]
    if not known:
        return TableCell(None, note="not applicable" if numbers else "no run is done")
    mean: Estimate = across_seeds([estimate for _, _, estimate in known])
    seeds, runs = tuple(cell.seed for cell, _, _ in known), tuple(key for _, key, _ in known)
    return TableCell(mean.value, mean.low, mean.high, mean.n, seeds, runs)


def _verdicts(done: Ended) -> TableCell:
    """Give the verdict, or how often each was given where seeds differ."""
    if not done:
        return TableCell(None, note="no run is done")
    counts = {text: sum(s.verdict == text for _, s in done) for text in sorted({s.verdict for _, s in done})}
    said = next(iter(counts)) if len(counts) == 1 else "; ".join(f"{text} ({n})" for text, n in counts.items())
    return TableCell(said, seeds=tuple(cell.seed for cell, _ in done), runs=tuple(s.key for _, s in done))


def _note(summary: Summary | None, labels: Sequence[str], grid: Grid, elsewhere: bool) -> list[str]:
    if summary is not None and summary.state == "done":
        return []
    named = ", ".join(f"{axis} = {label}" for axis, label in zip(grid.axes, labels, strict=True)) or grid.name
    if summary is None:
        return [f"{'being run by another process' if elsewhere else 'missing'}: {named}"]
    return [f"failed: {named}: {summary.error}"]
