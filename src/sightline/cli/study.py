"""``sightline study``: every cell of a grid, kept in a store, and the table they make."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from sightline.cli import artefacts, flags, studies
from sightline.cli.cells import Ended, How, check_out, check_printing, do_cells, show_table
from sightline.cli.output import writing
from sightline.cli.places import Input, Output, check_places
from sightline.errors import SpecError
from sightline.experiments.executors.asked import Workers, read_workers

if TYPE_CHECKING:
    from sightline.experiments.grid import Grid

ALONE = Workers()

File = Annotated[
    str,
    typer.Argument(
        metavar="FILE.toml|PAPER:ID|NAME",
        show_default=False,
        help="The study: a file with a base and the axes that vary it; a table or figure of a paper by its id, such "
        "as jain2019:J-2 (list names them all), or all of them: papers; or a calibration, such as worlds.",
    ),
]
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


Kept = Annotated[
    Path | None,
    typer.Option("--store", metavar="DIR", show_default=False, help=flags.STORE, rich_help_panel=flags.RUN),
]
_OF_A_PAPER = "A paper’s table or figure"
Corpora = Annotated[
    Path | None,
    typer.Option(
        "--data",
        metavar="DIR",
        show_default=False,
        help="The folder that holds the papers’ corpora, each in its published form.",
        rich_help_panel=_OF_A_PAPER,
    ),
]
Datasets = Annotated[
    str | None,
    typer.Option(
        "--datasets",
        metavar="A,B,…",
        show_default="all that are in the folder",
        help="Which of them: see sightline study list.",
        rich_help_panel=_OF_A_PAPER,
    ),
]
Seeds = Annotated[
    int | None,
    typer.Option(
        "--seeds", metavar="N", min=1, show_default="3", help="Seeds of each model.", rich_help_panel=_OF_A_PAPER
    ),
]
Out = Annotated[
    Path | None,
    typer.Option(
        "--out",
        metavar="DIR",
        show_default="not written",
        help="Also write the table as Markdown, CSV and LaTeX, and the figures as PDF, PNG and SVG, into this folder.",
        rich_help_panel=_OF_A_PAPER,
    ),
]
_NAMED = "What was read of each run"
ResultsFile = Annotated[
    Path | None,
    typer.Option(
        "--results",
        metavar="FILE",
        show_default="not written",
        help="The results file (compressed CSV, a row for each run and quantity) that is brought up to date.",
        rich_help_panel=_NAMED,
    ),
]
SoFar = Annotated[bool, typer.Option("--so-far", help="Run nothing: count what the store has.", rich_help_panel=_NAMED)]
SkipCounted = Annotated[
    bool,
    typer.Option("--skip-counted", help="Do not run what the results file has already.", rich_help_panel=_NAMED),
]


def study(
    file: File,
    store: Kept = None,
    workers: Crew = ALONE,
    limit: flags.Limit = None,
    retry_failed: Again = False,
    dry_run: flags.DryRun = False,
    table: TableFile = None,
    columns: Columns = None,
    spread: Beside = "interval",
    data: Corpora = None,
    datasets: Datasets = None,
    seeds: Seeds = None,
    vectors: flags.Vectors = None,
    out: Out = None,
    results: ResultsFile = None,
    so_far: SoFar = False,
    skip_counted: SkipCounted = False,
    as_json: flags.Json = False,
    quiet: flags.Quiet = False,
) -> None:
    """Run the cells of a study that are not in its store yet, and print the table of all that are.

    A table or figure of a paper stands beside what the paper prints. Of the papers together, and of a calibration, it
    says how much is done and what does not hold, and keeps what was read of each run in the results file.
    Stop it whenever you like and start it again: whole cells are kept, and nothing else. Several of these may work on
    one store at once. Exits with 4 where cells have failed, or where another process is at them, and with 3 where
    something that a calibration must hold does not.
    """
    wanted = artefacts.Wanted(data, datasets, seeds, limit, vectors)
    if file == "list":
        return artefacts.show_list(wanted, store, as_json)
    if store is None:
        raise SpecError("missing; expected the folder in which runs are kept, made where there is none", field="store")
    check_printing(table)
    named = artefacts.is_named(file)
    counted = not named and studies.is_counted(file)
    how = How(store, workers, None if named else limit, retry_failed, dry_run, table, out, as_json, quiet)
    if counted:
        others = {"columns": columns, "spread": None if spread == "interval" else spread, "datasets": datasets}
        _refuse({**others, "vectors": vectors, "table": table, "out": out}, file, "of one table, or of a study file")
        asked = studies.Results(results, so_far, skip_counted)
        return studies.study_counted(file, wanted, how, asked)
    whose = "of the papers together, or of a calibration"
    of_named = {"so_far": so_far or None, "skip_counted": skip_counted or None}
    _refuse({**of_named, "results": results if named else None}, file, whose)
    if named:
        _refuse({"columns": columns, "spread": None if spread == "interval" else spread}, file, "of a study file")
        return artefacts.study_artefact(file, wanted, how)
    of_papers = {"data": data, "datasets": datasets, "seeds": seeds, "vectors": vectors}
    _refuse(of_papers, file, "of a paper’s table or figure, as jain2019:J-2; a file says these itself")
    return _study_file(Path(file), how, columns, spread, results)


def _refuse(given: Mapping[str, object], file: str, whose: str) -> None:
    for name, value in given.items():
        if value is not None:
            raise SpecError(f"{file} takes no such flag: it is {whose}", field=name)


def _study_file(
    file: Path, how: How, columns: str | None, spread: Literal["interval", "sd"], results: Path | None
) -> None:
    from sightline.experiments.grid import read_grid  # noqa: PLC0415  (as late as it is needed)
    from sightline.experiments.shown import read_shown  # noqa: PLC0415  (as late as it is needed)
    from sightline.experiments.tabulate import check_columns, tabulate  # noqa: PLC0415  (as late as it is needed)
    from sightline.studies.drawn import drawings_of, file_name  # noqa: PLC0415  (as late as it is needed)

    asked = None if columns is None else tuple(name.strip() for name in columns.split(","))
    check_columns(asked or ())
    grid, shown = read_grid(file), read_shown(file)
    chosen = shown.columns if asked is None else asked
    check_out(how, shown.figures)
    kept = None if results is None else Output("--results", results)
    check_places(inputs(file, grid), kept, *how.outputs(file_name(grid.name)))
    if results is not None:
        from sightline.studies.files import keep, study_of  # noqa: PLC0415  (torch)
        from sightline.studies.results_file import read_rows  # noqa: PLC0415  (numpy)

        read_rows(results)  # what is no results file is refused before hours are spent

    def show(ended: Ended) -> None:
        audits = ended.store.audit
        told = tabulate(grid, ended.found, ended.elsewhere, columns=chosen, spread=spread, audits=audits)
        show_table(told, how, file_name(grid.name), drawings_of(grid, shown.figures, told, ended.store))
        if results is not None:
            with writing(results):
                keep(study_of(grid, chosen, shown.figures), ended.store, results)

    do_cells(grid, how, show)


def inputs(file: Path, grid: Grid) -> list[Input]:
    """Name what a study reads: its file, and the data and vectors of its cells."""
    data = {Path(place) for cell in grid.cells for place in cell.data.places}
    vectors = {Path(cell.model.vectors) for cell in grid.cells if cell.model.vectors}
    named = [(f"data of {file}", one) for one in data] + [(f"vectors of {file}", one) for one in vectors]
    return [("FILE.toml", file), *named]
