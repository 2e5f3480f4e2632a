"""A study on the command line: its missing runs, how they end, and the table."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from sightline.api.folders import store_files
from sightline.cli.exit_codes import UNFINISHED
from sightline.cli.flag_groups import StudyOutput
from sightline.cli.output import emit, print_lines, print_message, writing
from sightline.cli.output_checks import Folder, Output
from sightline.cli.process import BEGAN
from sightline.cli.progress import runs_progress
from sightline.cli.signals import Terminated
from sightline.cli.table_output import print_table, table_at, write_table
from sightline.report.number_format import count_phrase, duration_span

if TYPE_CHECKING:
    from sightline.api.study import FinishedStudy, PlannedStudy, RunSettings
    from sightline.api.study_forecast import StudyForecast


def outputs(
    store: Path, output: StudyOutput, files: Callable[[], list[str]] = list
) -> list[Output | None]:
    """Name the outputs of a study; ``files`` are those in the folder of its outputs."""
    room = Output("--store", store, Folder("a store", store_files(), kept=True))
    table = table_at("--table", output.table)
    if output.out is None:
        return [room, table]
    folder = Output("--out", output.out, Folder("a folder of tables and figures", (), kept=True))
    return [
        room,
        table,
        folder,
        *(Output("--out", output.out / file) for file in files()),
    ]


def do_study(
    study: PlannedStudy,
    store: Path,
    running: RunSettings,
    output: StudyOutput,
    *,
    dry_run: bool,
    show: Callable[[FinishedStudy, StudyOutput], None] | None = None,
) -> None:
    """Make the missing runs of a study, show their table, and return what is still lacking."""
    from sightline.api.store_runs import Store  # noqa: PLC0415  (as late as it is needed)
    from sightline.api.study import run_study  # noqa: PLC0415  (as late as it is needed)
    from sightline.api.study_forecast import forecast_study  # noqa: PLC0415  (as late as it is needed)

    with writing(store):
        kept = Store(store, make=not dry_run)
    if dry_run:
        return _show_plan(
            study, forecast_study(study, kept, running, print_message, BEGAN), output.as_json
        )
    with _resumable():
        ended = run_study(study, kept, running, partial(runs_progress, quiet=output.quiet))
    (show or show_table)(ended, output)
    if lacking := _lacking(len(study.grid.specs), len(ended.failed), len(ended.elsewhere)):
        for line in lacking:
            print_message(line)
        raise typer.Exit(UNFINISHED)
    return None


def _lacking(runs: int, failed: int, elsewhere: int) -> list[str]:
    """Say what keeps the study from being finished, and what to do about it."""
    of = count_phrase(runs, "run")
    description = [f"{failed} of {of} failed; --retry-failed makes them again"] if failed else []
    being = "is" if elsewhere == 1 else "are"
    waits = f"{elsewhere} of {of} {being} being made by another process, or {being} waiting for one"
    return (
        [*description, f"{waits}; run the study again when it has ended"]
        if elsewhere
        else description
    )


@contextmanager
def _resumable() -> Iterator[None]:
    """When a study is stopped, say how to resume it."""
    try:
        yield
    except (KeyboardInterrupt, Terminated):
        print_message(
            "stopped: the finished runs are kept, and the same command resumes with what is left"
        )
        raise


def check_folder(study: PlannedStudy, output: StudyOutput) -> None:
    """Refuse to replace files of others in the folder of the outputs, before hours are spent."""
    if output.out is not None:
        study.check_folder(output.out)


def check_out(study: PlannedStudy, output: StudyOutput) -> None:
    """Refuse figures that cannot be drawn here, before hours are spent on their numbers."""
    from sightline.report.figures.matplotlib_output import check_drawing  # noqa: PLC0415  (numpy)

    if output.out is not None and study.figures:
        check_drawing()


def show_table(ended: FinishedStudy, output: StudyOutput) -> None:
    """Print the table of a study; write it, and figures, if asked for."""
    from sightline.api.study import write_study  # noqa: PLC0415  (as late as it is needed)

    table = ended.study.table(ended)
    with writing(output.out) if output.out is not None else nullcontext():
        made = write_study(ended, table, output.out)
    for label in made.not_drawn:
        print_message(f"not drawn: {label}")
    if output.table is not None:
        write_table(table, output.table)
    if output.as_json:
        return emit(asdict(table) | {"files": [str(path) for path in made.files]})
    return print_table(table)


def _show_plan(study: PlannedStudy, found: StudyForecast, as_json: bool) -> None:
    """Print the runs to make and their estimated time."""
    if as_json:
        return emit(found.to_json())
    lines = [
        f"{'done  ' if key in found.found else 'to run'}  {', '.join(labels)}"
        for key, labels in zip(study.grid.keys, study.grid.labels, strict=True)
    ]
    rest = (
        f"{count:,} {name.replace('_', ' ')}"
        for name, count in found.counts.items()
        if name != "runs"
    )
    counts = ", ".join([count_phrase(found.runs, "run"), *rest])
    if not found.to_run:
        return print_lines([*lines, counts])
    space = (
        f"about {found.disk_bytes / 2**20:,.0f} MiB"
        if found.disk_bytes
        else "known once a run is done"
    )
    takes = duration_span(found.hours_least * 3600, found.hours * 3600)
    time = (
        f"time on {count_phrase(found.workers, 'worker')}: {takes}, start and all ({found.basis})"
    )
    return print_lines([*lines, counts, time, f"disk: {space}"])
