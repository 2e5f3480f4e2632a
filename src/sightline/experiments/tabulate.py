"""Make the table of a study from its runs: a row for each setting, a mean over seeds in each
column.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Literal

from sightline.config.registry import COMPANIONS
from sightline.config.specs import RunSpec
from sightline.config.word_maps import RIVALS, SIGNED_RIVALS
from sightline.core.errors import SpecError, near_it
from sightline.core.results import Estimate, Results, Table, TableCell
from sightline.experiments.grid import Grid
from sightline.experiments.long_table import (
    COMPARED,
    LEARNED,
    MAP_SCORES,
    all_numbers,
    main_estimates,
)
from sightline.experiments.missing_values import NOT_ASKED, NUMBERS, not_asked, why_absent
from sightline.experiments.store import Summary
from sightline.report.number_format import count_phrase
from sightline.stats.across_seeds import across_seeds, deviation
from sightline.verdict.catalogue import AUDIT_TESTS
from sightline.verdict.control_estimates import KINDS, is_distance
from sightline.verdict.number_bounds import ends_of
from sightline.verdict.rationale_estimates import MARKED
from sightline.verdict.retention_estimates import KEPT, RATIOS

VERDICT = "verdict"
COLUMNS = (VERDICT, *NUMBERS)
"""The columns of a table if none are chosen."""
Spread = Literal["interval", "sd"]
"""What follows a mean: its interval, or the standard deviation over seeds."""
Audits = Callable[[str], Results]
"""Finds the whole audit of a run by its key."""
ALONE = "one seed has no standard deviation"
NONE_DONE = "no run is done"
Members = Sequence[tuple[RunSpec, Summary | None]]
Ended = Sequence[tuple[RunSpec, Summary]]
Numbers = Mapping[str, Estimate]


def check_columns(columns: Sequence[str]) -> None:
    """Refuse a column that no audit could have, and a repeated one."""
    for place, name in enumerate(columns):
        if name not in choosable() and not is_distance(name):
            always = (
                f"expected some of {', '.join(COLUMNS)}, or another number of an audit (sightline "
                "list columns)"
            )
            raise SpecError(f"{always}; got {name!r}{near_it(name, choosable())}", field="columns")
        if name in columns[:place]:
            raise SpecError(f"{name} is named twice; name it once", field="columns")


@cache
def choosable() -> tuple[str, ...]:
    """Name every possible column: what a run's summary holds, and every other number over all its
    texts.
    """
    compared = (f"{code}.{what}" for code in AUDIT_TESTS for what in COMPARED)
    claimed = (one.name for claim in AUDIT_TESTS.values() for one in claim.quantities())
    maps = (f"maps.{name}.{did}" for name in (*RIVALS, *SIGNED_RIVALS) for did in MAP_SCORES)
    distances = (f"beside.{kind}.{name}" for name in COMPANIONS for kind in KINDS)
    others = (
        *compared,
        *claimed,
        *MARKED,
        *KEPT,
        *RATIOS,
        *distances,
        *LEARNED,
        *maps,
    )
    return tuple(dict.fromkeys((*COLUMNS, *others)))


def tabulate(
    grid: Grid,
    found: Mapping[str, Summary],
    elsewhere: Collection[str] = (),
    *,
    columns: Sequence[str] = COLUMNS,
    spread: Spread = "interval",
    audits: Audits | None = None,
) -> Table:
    """Put the existing runs into a table; its notes name the missing and the failed runs.

    ``elsewhere`` holds the keys of runs that another process has. ``columns`` are some of
    `choosable`. Columns outside `COLUMNS` are read from whole ``audits``, as are the reasons why a
    column has no number.
    """
    check_columns(columns)
    whole = bool(set(columns) - set(COLUMNS))
    groups = _groups(grid, found)
    axes = tuple(axis for axis in grid.axes if axis != "seed")
    notes = [
        note
        for key, labels in zip(grid.keys, grid.labels, strict=True)
        for note in _note(found.get(key), labels, grid, key in elsewhere)
    ]
    rows = tuple(_row(members, columns, spread, audits, whole) for members in groups.values())
    shown = _shown(columns, rows)
    return Table(
        title=grid.name,
        columns=tuple(columns[at] for at in shown),
        rows=tuple(tuple(cells[at] for at in shown) for cells in rows),
        row_names=tuple(groups),
        row_axes=axes,
        notes=(*notes, *_unasked(columns, shown), *_spread_notes(rows, spread)),
        partial=_partial(grid, found, elsewhere),
    )


def _shown(columns: Sequence[str], rows: Sequence[Sequence[TableCell]]) -> list[int]:
    """Choose the columns: all that are named; of the usual ones each that some run was asked for."""
    if tuple(columns) != COLUMNS:
        return [*range(len(columns))]
    return [
        at
        for at in range(len(columns))
        if not rows or not all(cells[at].note.startswith(NOT_ASKED) for cells in rows)
    ]


def _unasked(columns: Sequence[str], shown: Sequence[int]) -> list[str]:
    """Name the columns that are left out."""
    left = [name for at, name in enumerate(columns) if at not in {*shown}]
    return [f"left out, because no run was asked for them: {', '.join(left)}"] if left else []


def _partial(grid: Grid, found: Mapping[str, Summary], elsewhere: Collection[str]) -> str:
    """Count the runs that the table lacks, by reason."""
    missing = [key for key in grid.keys if key not in found]
    away = sum(key in elsewhere for key in missing)
    failed = sum(key in found and found[key].state == "failed" for key in grid.keys)
    counts = {
        "missing": len(missing) - away,
        "being made by another process": away,
        "failed": failed,
    }
    text = ", ".join(f"{count} {what}" for what, count in counts.items() if count)
    return text and f"{text}, of {count_phrase(len(grid.specs), 'run')}"


def _groups(
    grid: Grid, found: Mapping[str, Summary]
) -> dict[tuple[str, ...], list[tuple[RunSpec, Summary | None]]]:
    """Group the seeds of a setting, in the order of the grid."""
    groups: dict[tuple[str, ...], list[tuple[RunSpec, Summary | None]]] = {}
    for spec, key, labels in zip(grid.specs, grid.keys, grid.labels, strict=True):
        setting = tuple(
            label for axis, label in zip(grid.axes, labels, strict=True) if axis != "seed"
        )
        groups.setdefault(setting, []).append((spec, found.get(key)))
    return groups


def _done(members: Members) -> list[tuple[RunSpec, Summary]]:
    return [
        (cell, summary)
        for cell, summary in members
        if summary is not None and summary.state == "done"
    ]


def _spread_notes(rows: Sequence[Sequence[TableCell]], spread: Spread) -> list[str]:
    """Say what follows the means: whose interval, over how many seeds, and what n counts."""
    of_sd = spread == "sd"
    counts = sorted(
        {
            len(cell.seeds)
            for cells in rows
            for cell in cells
            if (cell.sd if of_sd else cell.low) is not None
        }
    )
    several = " or ".join(str(count) for count in counts if count > 1)
    if of_sd:
        over = f"{several} seeds of a row" if several else "seeds of a row"
        return [
            f"± is the standard deviation over the {over}, n: texts of the seed with the fewest"
        ]
    if not counts:
        return []
    text = (
        f"means with Student’s t interval over {several} seeds (95 %), n: texts of the seed with "
        "the fewest"
    )
    alone = "the interval of one seed alone is its own, over its n texts (95 %)"
    without = "[no interval]: all seeds, or all texts, have the same value, so none is known"
    lacking = any(_without_interval(cell) for cells in rows for cell in cells)
    return [
        *([text] if several else []),
        *([alone] if 1 in counts else []),
        *([without] if lacking else []),
    ]


def _without_interval(cell: TableCell) -> bool:
    known = isinstance(cell.value, float) and not math.isnan(cell.value)
    return known and cell.low is not None and math.isnan(cell.low)


def _row(
    members: Members,
    columns: Sequence[str],
    spread: Spread,
    audits: Audits | None,
    whole: bool,
) -> tuple[TableCell, ...]:
    done = _done(members)
    if not done:
        return tuple(TableCell(None, note=_none_done(members)) for _ in columns)
    read = None if audits is None else cache(audits)  # for this row alone: audits are large
    numbers = [
        (cell, summary.key, numbers_of(summary, read if whole else None)) for cell, summary in done
    ]
    cells = (
        _verdicts(done)
        if name == VERDICT
        else _number(numbers, name, spread) or TableCell(None, note=_absent(done, name, read))
        for name in columns
    )
    text = f"{len(done)} of {len(members)} seeds" if len(done) < len(members) else ""
    return tuple(replace(cell, note=cell.note or text) for cell in cells)


def _none_done(members: Members) -> str:
    """Say why a row has no number at all: its runs failed, or none has been made."""
    failed = sum(summary is not None for _, summary in members)
    if not failed:
        return NONE_DONE
    if failed == len(members):
        return "the run failed" if failed == 1 else f"all {failed} runs failed"
    return f"{failed} of {len(members)} runs failed, the others are not done"


def numbers_of(summary: Summary, audits: Audits | None) -> Numbers:
    """Return the estimates of a run by their quantity."""
    if audits is None:
        return main_estimates(summary)
    known = ((one.quantity, one.estimate()) for one in all_numbers(summary, audits(summary.key)))
    return {quantity: estimate for quantity, estimate in known if estimate is not None}


def _absent(done: Ended, name: str, audits: Audits | None) -> str:
    """Say why no run of a row has a number; seeds of a row differ in nothing else."""
    if reason := not_asked(name, done[0][0]):
        return reason
    return "; ".join(dict.fromkeys(_why(name, summary, audits) for _, summary in done))


def _why(name: str, summary: Summary, audits: Audits | None) -> str:
    """Say why a run has no number: from its summary, or else from its audit."""
    kept = (summary.absent or {}).get(name)
    if kept is None and audits is not None:
        return why_absent(name, audits(summary.key))
    return kept or "not run"


def _number(
    numbers: Sequence[tuple[RunSpec, str, Numbers]], name: str, spread: Spread
) -> TableCell | None:
    """Return the mean over the seeds that have a number; nothing if none has."""
    measured = [(cell, key, found[name]) for cell, key, found in numbers if name in found]
    if not measured:
        return None
    known = [one for one in measured if not math.isnan(one[2].value)]
    if not known:
        why = dict.fromkeys(estimate.method for _, _, estimate in measured)
        return TableCell(None, note="; ".join(why))
    estimates = [estimate for _, _, estimate in known]
    mean: Estimate = across_seeds(estimates, ends_of(name))
    seeds, runs = tuple(cell.seed for cell, _, _ in known), tuple(key for _, key, _ in known)
    some = (
        f"{len(known)} of {len(numbers)} seeds have this number"
        if len(known) < len(numbers)
        else ""
    )
    description = TableCell(
        mean.value, mean.low, mean.high, mean.n, seeds, runs, some, method=mean.method
    )
    if spread == "interval":
        return description
    sd = deviation(estimates)
    alone = math.isnan(sd)
    return replace(
        description,
        low=None,
        high=None,
        note=ALONE if alone else some,
        sd=None if alone else sd,
        method="",
    )


def _verdicts(done: Ended) -> TableCell:
    """Return the verdict, or how often each was given if seeds differ."""
    counts = {
        text: sum(s.verdict == text for _, s in done)
        for text in sorted({s.verdict for _, s in done})
    }
    said = (
        next(iter(counts))
        if len(counts) == 1
        else "; ".join(f"{text} ({count_phrase(n, 'seed')})" for text, n in counts.items())
    )
    return TableCell(
        said, seeds=tuple(cell.seed for cell, _ in done), runs=tuple(s.key for _, s in done)
    )


def _note(summary: Summary | None, labels: Sequence[str], grid: Grid, elsewhere: bool) -> list[str]:
    if summary is not None and summary.state == "done":
        return []
    named = (
        ", ".join(f"{axis} = {label}" for axis, label in zip(grid.axes, labels, strict=True))
        or grid.name
    )
    if summary is None:
        return [f"{'being made by another process' if elsewhere else 'missing'}: {named}"]
    return [f"failed: {named}: {summary.error}"]
