"""``sightline study``: every cell of a grid, kept in a store, and the table they make."""

from __future__ import annotations

import shutil
import sys
from collections import Counter
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from sightline.cli import flags
from sightline.cli.display import cells_progress
from sightline.cli.door import BEGAN
from sightline.cli.estimate import span
from sightline.cli.output import emit, say, tell, write_text, writing
from sightline.cli.places import Folder, Input, Output, check_places
from sightline.cli.stopping import Terminated
from sightline.errors import SightlineError, SpecError
from sightline.experiments.cost import Cost
from sightline.experiments.executors.asked import Workers, executor_of, read_workers
from sightline.report.numerals import counted
from sightline.report.sheets.files import PRINTINGS
from sightline.report.sheets.terminal import to_text
from sightline.spec.keys import run_key
from sightline.spec.values import OWN

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sightline.experiments.grid import Grid
    from sightline.experiments.store import Store, Summary
    from sightline.results import Table
    from sightline.spec.values import RunSpec

UNFINISHED = 4
ALONE = Workers()

File = Annotated[Path, typer.Argument(metavar="FILE.toml", help="The study: a base and the axes that vary it.")]
Crew = Annotated[
    Workers,
    typer.Option(
        "--workers",
        metavar="N|ray[:HOST:PORT]",
        parser=read_workers,
        help="Processes here, one thread each; or the processors of a Ray cluster.",
    ),
]
Again = Annotated[bool, typer.Option("--retry-failed", help="Run the cells again that are kept as failed.")]
TableFile = Annotated[
    Path | None,
    typer.Option(
        "--table",
        metavar="FILE",
        show_default="not written",
        help="Also write the table: .md, .csv (every number in full, a line a cell) or .tex.",
    ),
]

Columns = Annotated[
    str | None,
    typer.Option(
        "--columns",
        metavar="A,B,…",
        show_default="the verdict, accuracy, F1 and every effect",
        help="Columns of the table, in this order: see sightline list columns.",
    ),
]
Beside = Annotated[
    Literal["interval", "sd"],
    typer.Option("--spread", help="What stands beside a mean: its interval, or the standard deviation over seeds."),
]


def study(
    file: File,
    store: flags.StoreFolder,
    workers: Crew = ALONE,
    limit: flags.Limit = None,
    retry_failed: Again = False,
    dry_run: flags.DryRun = False,
    table: TableFile = None,
    columns: Columns = None,
    spread: Beside = "interval",
    as_json: flags.Json = False,
    quiet: flags.Quiet = False,
) -> None:
    """Run the cells of a study that are not in its store yet, and print the table of all that are.

    Stop it whenever you like and start it again: whole cells are kept, and nothing else. Several of these may work on
    one store at once. Exits with 4 where cells have failed, or where another process is at them.
    """
    from sightline.experiments.grid import read_grid  # noqa: PLC0415  (as late as it is needed)
    from sightline.experiments.store import FILES, Store  # noqa: PLC0415  (as late as it is needed)
    from sightline.experiments.tabulate import COLUMNS, check_columns, tabulate  # noqa: PLC0415  (as late as it is needed)

    check_printing(table)
    chosen = COLUMNS if columns is None else tuple(name.strip() for name in columns.split(","))
    check_columns(chosen)
    grid = read_grid(file)
    room = Output("--store", store, Folder("a store", FILES, kept=True))
    check_places(inputs(file, grid), room, None if table is None else Output("--table", table))
    with writing(store):
        kept = Store(store, make=not dry_run)
    found = kept.find(grid.keys)
    todo = [cell for cell, key in zip(grid.cells, grid.keys, strict=True) if _wanted(found.get(key), retry_failed)]
    todo = todo[:limit]
    if dry_run:
        return _show_plan(kept, grid, found, todo, workers, as_json)
    check_tables(todo)
    with _resumable():
        left = _run(todo, kept, workers, retry_failed, quiet) if todo else set[str]()
    # What was whole at the start is not read a second time; cells another process was at may be whole by now.
    found |= kept.find(key for key in grid.keys if _wanted(found.get(key), retry_failed))
    elsewhere = left - found.keys()
    told = tabulate(grid, found, elsewhere, columns=chosen, spread=spread, audits=kept.audit)
    _show_table(told, table, as_json)
    lacking = _lacking(len(grid.cells), sum(summary.state == "failed" for summary in found.values()), len(elsewhere))
    for line in lacking:
        tell(line)
    if lacking:
        raise typer.Exit(UNFINISHED)


def _lacking(cells: int, failed: int, elsewhere: int) -> list[str]:
    """Say what keeps the study from being finished, and what to do about it."""
    of = counted(cells, "cell")
    told = [f"{failed} of {of} failed; --retry-failed runs them again"] if failed else []
    waits = f"{elsewhere} of {of} {'is' if elsewhere == 1 else 'are'} being run by another process"
    return [*told, f"{waits}; run the study again when it has ended"] if elsewhere else told


@contextmanager
def _resumable() -> Iterator[None]:
    """Say to whoever stops a study how it goes on."""
    try:
        yield
    except (KeyboardInterrupt, Terminated):
        tell("stopped: the cells that are done are kept, and the same command goes on with what is left")
        raise


def _wanted(summary: Summary | None, retry_failed: bool) -> bool:
    return summary is None or (retry_failed and summary.state == "failed")


def _run(todo: Sequence[RunSpec], store: Store, workers: Workers, again: bool, quiet: bool) -> set[str]:
    """Run what is to do, and give the keys of the cells that were left to another process."""
    executor = executor_of(workers)
    elsewhere = set[str]()
    with cells_progress(len(todo), quiet=quiet) as show:
        for done in executor.run(todo, store, again=again):
            show(done.ending, done.told)
            elsewhere |= {run_key(done.spec)} if done.ending == "missing" else set()
    return elsewhere


def check_tables(todo: Sequence[RunSpec]) -> None:
    """Read the user's own texts once before the first cell: a wrong column is a mistake of the study, fails no cell."""
    from sightline.data.corpora.table import read_table  # noqa: PLC0415  (as late as it is needed)

    for data in dict.fromkeys(cell.data for cell in todo if cell.data.kind in OWN):
        read_table(data)


def check_printing(file: Path | None) -> None:
    """Refuse a table of a kind that there is not, before hours are spent on its numbers."""
    if file is not None and file.suffix not in PRINTINGS:
        raise SpecError(f"--table {file}: expected a name that ends in {', '.join(PRINTINGS)}")


def inputs(file: Path, grid: Grid) -> list[Input]:
    """Name what a study reads: its file, and the data and vectors of its cells."""
    data = {Path(place) for cell in grid.cells for place in cell.data.places}
    vectors = {Path(cell.model.vectors) for cell in grid.cells if cell.model.vectors}
    named = [(f"data of {file}", one) for one in data] + [(f"vectors of {file}", one) for one in vectors]
    return [("FILE.toml", file), *named]


def _show_table(table: Table, file: Path | None, as_json: bool) -> None:
    if file is not None:
        write_text(file, PRINTINGS[file.suffix](table))
    if as_json:
        return emit(asdict(table))
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    return say([to_text(table, width)])


def _show_plan(
    store: Store, grid: Grid, found: dict[str, Summary], todo: Sequence[RunSpec], asked: Workers, as_json: bool
) -> None:
    """Say what there is to do, from the cells that were measured or from a trial where none was."""
    began, workers = perf_counter() - BEGAN, _processors(asked) if todo else asked.processes
    cost = _cost(todo, [summary for summary in found.values() if summary.state == "done"])
    least, most = ((began + cost.start + cells / workers) / 3600 for cells in (cost.least, cost.most))
    disk = store.bytes_a_run() * len(todo) if todo else 0.0
    states = Counter(summary.state for summary in found.values())
    plan = {"cells": len(grid.cells), "done": states["done"], "failed": states["failed"], "to_run": len(todo)}
    if as_json:
        hours = {"hours": most, "hours_least": least, "disk_bytes": disk, "basis": cost.basis}
        return emit(plan | {"workers": workers} | hours)
    lines = [
        f"{'done  ' if key in found else 'to run'}  {', '.join(labels)}"
        for key, labels in zip(grid.keys, grid.labels, strict=True)
    ]
    rest = (f"{count} {name.replace('_', ' ')}" for name, count in plan.items() if name != "cells")
    counts = ", ".join([counted(len(grid.cells), "cell"), *rest])
    if not todo:
        return say([*lines, counts])
    space = f"about {disk / 2**20:,.0f} MiB" if disk else "known once a cell is done"
    time = f"time on {counted(workers, 'worker')}: {span(least * 3600, most * 3600)}, start and all ({cost.basis})"
    return say([*lines, counts, time, f"disk: {space}"])


def _processors(asked: Workers) -> int:
    """Count who would work; a plan is also made for a cluster that is not up yet, as for one worker."""
    if asked.cluster is None:
        return asked.processes
    from sightline.experiments.executors.cluster import Cluster  # noqa: PLC0415  (as late as it is needed)

    try:
        return Cluster(asked.cluster).processors()
    except SightlineError as error:
        tell(f"planned for one worker: {error}")
        return 1


def _cost(todo: Sequence[RunSpec], done: Sequence[Summary]) -> Cost:
    if not todo:
        return Cost(0.0, 0.0, "nothing to run")
    from sightline.experiments.cost import estimate  # noqa: PLC0415  (torch)

    return estimate(todo, done)
