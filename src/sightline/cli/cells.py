"""What every study on the command line does with its cells: says what is left of them, runs them, and shows a table."""

from __future__ import annotations

import shutil
import sys
from collections import Counter
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

import typer

from sightline.cli.codes import UNFINISHED
from sightline.cli.display import cells_progress
from sightline.cli.durations import span
from sightline.cli.output import emit, say, tell, write_text, writing
from sightline.cli.places import Folder, Output
from sightline.cli.process import BEGAN
from sightline.cli.stopping import Terminated
from sightline.errors import SightlineError, SpecError
from sightline.experiments.cost import Cost
from sightline.experiments.executors.asked import Workers, executor_of
from sightline.report.numerals import counted
from sightline.report.sheets.files import PRINTINGS
from sightline.report.sheets.terminal import to_text
from sightline.spec.keys import run_key
from sightline.spec.values import OWN

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from sightline.experiments.grid import Grid
    from sightline.experiments.store import Store, Summary
    from sightline.results import Table
    from sightline.spec.values import RunSpec
    from sightline.studies.drawn import Drawing


@dataclass(frozen=True)
class How:
    """How a study is done, as its flags say; ``limit`` is how many of the missing cells are run at most."""

    store: Path
    workers: Workers
    limit: int | None
    retry_failed: bool
    dry_run: bool
    table: Path | None
    out: Path | None
    as_json: bool
    quiet: bool

    def outputs(self, name: str) -> list[Output | None]:
        """Say what is written, for a study of this name."""
        from sightline.experiments.store import FILES  # noqa: PLC0415  (as late as it is needed)

        room = Output("--store", self.store, Folder("a store", FILES, kept=True))
        table = None if self.table is None else Output("--table", self.table)
        if self.out is None:
            return [room, table]
        folder = Output("--out", self.out, Folder("a folder of tables and figures", (), kept=True))
        return [room, table, folder, *(Output("--out", self.out / f"{name}{ending}") for ending in PRINTINGS)]


@dataclass(frozen=True)
class Ended:
    """What there is of the cells when they have been run: those found, and those that another process is at."""

    store: Store
    found: Mapping[str, Summary]
    elsewhere: Collection[str]


def do_cells(grid: Grid, how: How, show: Callable[[Ended], None]) -> None:
    """Run the cells that are not in the store yet, show what they make, and say what is still lacking."""
    from sightline.experiments.store import Store  # noqa: PLC0415  (as late as it is needed)

    with writing(how.store):
        store = Store(how.store, make=not how.dry_run)
    found = store.find(grid.keys)
    todo = [cell for cell, key in zip(grid.cells, grid.keys, strict=True) if _wanted(found.get(key), how)]
    todo = todo[: how.limit]
    if how.dry_run:
        return _show_plan(store, grid, found, todo, how)
    _check_tables(todo)
    with _resumable():
        left = _run(todo, store, how) if todo else set[str]()
    # What was whole at the start is not read a second time; cells another process was at may be whole by now.
    found |= store.find(key for key in grid.keys if _wanted(found.get(key), how))
    elsewhere = left - found.keys()
    show(Ended(store, found, elsewhere))
    failed = sum(summary.state == "failed" for summary in found.values())
    lacking = _lacking(len(grid.cells), failed, len(elsewhere))
    for line in lacking:
        tell(line)
    if lacking:
        raise typer.Exit(UNFINISHED)
    return None


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


def _wanted(summary: Summary | None, how: How) -> bool:
    return summary is None or (how.retry_failed and summary.state == "failed")


def _run(todo: Sequence[RunSpec], store: Store, how: How) -> set[str]:
    """Run what is to do, and give the keys of the cells that were left to another process."""
    executor = executor_of(how.workers)
    elsewhere = set[str]()
    with cells_progress(len(todo), quiet=how.quiet) as show:
        for done in executor.run(todo, store, again=how.retry_failed):
            show(done.ending, done.told)
            elsewhere |= {run_key(done.spec)} if done.ending == "missing" else set()
    return elsewhere


def _check_tables(todo: Sequence[RunSpec]) -> None:
    """Read the user's own texts once before the first cell: a wrong column is a mistake of the study, fails no cell."""
    from sightline.data.corpora.table import read_table  # noqa: PLC0415  (as late as it is needed)

    for data in dict.fromkeys(cell.data for cell in todo if cell.data.kind in OWN):
        read_table(data)


def check_printing(file: Path | None) -> None:
    """Refuse a table of a kind that there is not, before hours are spent on its numbers."""
    if file is not None and file.suffix not in PRINTINGS:
        raise SpecError(f"--table {file}: expected a name that ends in {', '.join(PRINTINGS)}")


def check_out(how: How, figures: Sequence[str]) -> None:
    """Refuse figures that cannot be drawn here, before hours are spent on their numbers."""
    from sightline.report.plots.drawing import check_drawing  # noqa: PLC0415  (numpy)

    if how.out is not None and figures:
        check_drawing()


def show_table(table: Table, how: How, name: str, drawings: Iterable[Drawing]) -> None:
    """Print a table, and write it, and figures, where that is asked for."""
    files = [] if how.out is None else _write_all(name, table, drawings, how.out)
    if how.table is not None:
        write_text(how.table, PRINTINGS[how.table.suffix](table))
    if how.as_json:
        return emit(asdict(table) | {"files": [str(path) for path in files]})
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    return say([to_text(table, width)])


def _write_all(name: str, table: Table, drawings: Iterable[Drawing], folder: Path) -> list[Path]:
    from sightline.studies.drawn import write_all  # noqa: PLC0415  (numpy)

    with writing(folder):
        paths, left = write_all(name, table, drawings, folder)
    for told in left:
        tell(f"not drawn: {told}")
    return paths


def _show_plan(store: Store, grid: Grid, found: Mapping[str, Summary], todo: Sequence[RunSpec], how: How) -> None:
    """Say what there is to do, from the cells that were measured or from a trial where none was."""
    began, workers = perf_counter() - BEGAN, _processors(how.workers) if todo else how.workers.processes
    cost = _cost(todo, [summary for summary in found.values() if summary.state == "done"])
    least, most = ((began + cost.start + cells / workers) / 3600 for cells in (cost.least, cost.most))
    disk = store.bytes_a_run() * len(todo) if todo else 0.0
    states = Counter(summary.state for summary in found.values())
    plan = {"cells": len(grid.cells), "done": states["done"], "failed": states["failed"], "to_run": len(todo)}
    if how.as_json:
        hours = {"hours": most, "hours_least": least, "disk_bytes": disk, "basis": cost.basis}
        return emit(plan | {"workers": workers} | hours)
    lines = [
        f"{'done  ' if key in found else 'to run'}  {', '.join(labels)}"
        for key, labels in zip(grid.keys, grid.labels, strict=True)
    ]
    rest = (f"{count:,} {name.replace('_', ' ')}" for name, count in plan.items() if name != "cells")
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
