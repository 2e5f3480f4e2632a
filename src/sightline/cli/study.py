"""``sightline study``: run every configuration of a grid, keep the runs in a store, and print their
table.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sightline.cli.flag_groups import PaperOptions, ResultsOptions, StudyOutput, StudyRun, grouped
from sightline.cli.output import print_message, writing
from sightline.cli.output_checks import Input, check_places
from sightline.cli.paper_tables import show_list
from sightline.cli.study_commands import do_named_study, is_named_study
from sightline.cli.study_loop import check_folder, check_out, do_study, outputs, show_table
from sightline.cli.table_output import check_ending
from sightline.core.errors import SpecError

if TYPE_CHECKING:
    from sightline.api.list_papers import Params
    from sightline.api.study import FinishedStudy, PlannedStudy

File = Annotated[
    str,
    typer.Argument(
        metavar="FILE.toml|PAPER:ID|NAME",
        show_default=False,
        help="The study: a file with a base and the axes that vary it; a table or figure of a "
        "paper by its id, such as jain2019:J-2 (list names them all), or all of them: "
        "papers; or a calibration, such as worlds.",
    ),
]

_OF_NAMED = "of the papers together, or of a calibration"


@grouped
def study(
    file: File, run: StudyRun, paper: PaperOptions, kept: ResultsOptions, output: StudyOutput
) -> None:
    """Run the missing runs of a study, and print the table of all its finished runs.

    A table or figure of a paper is shown with the printed values. For all papers together, and for
    a calibration, the command says how much is done and which promises fail, and keeps the readings
    of each run in the results file. It can be stopped at any time and started again; only complete
    runs are kept. Several processes may work on one store at once. Exits with 4 if runs have
    failed, or if another process has them, and with 3 if a calibration fails a promise.
    """
    from sightline.api.list_papers import (  # noqa: PLC0415  (as late as it is needed)
        OF_A_PAPER,
        is_named,
        refuse_misspelt,
        refuse_options,
    )

    if file == "list":
        refuse_options({**kept.given, **output.given}, file, "of a study that is run")
        return show_list(paper.asked(run.limit), paper.data, run.store, output.as_json)
    if run.store is None:
        raise SpecError(
            "missing; expected the folder in which runs are kept, made where there is none",
            field="store",
        )
    check_ending("--table", output.table)
    if is_named(file):
        refuse_options(kept.of_named, file, _OF_NAMED)
        refuse_options({"results": kept.results}, file, f"{_OF_NAMED}, or of a study file")
        refuse_options(output.of_a_file, file, "of a study file")
        planned, read = _of_a_paper(file, paper, paper.asked(run.limit))
        return _do(planned, read, run, kept, output)
    if is_named_study(file):
        return _of_a_name(file, run, paper, kept, output)
    refuse_misspelt(file)
    refuse_options(kept.of_named, file, _OF_NAMED)
    refuse_options(paper.given, file, OF_A_PAPER)
    planned, read = _of_a_file(Path(file), output)
    return _do(planned, read, run, kept, output, run.limit)


def _do(
    planned: PlannedStudy,
    read: list[Input],
    run: StudyRun,
    kept: ResultsOptions,
    output: StudyOutput,
    limit: int | None = None,
) -> None:
    """Make the missing runs of a study file or of a paper's table, at most ``limit``."""
    from sightline.api.study import check_results, keep_results  # noqa: PLC0415  (as late as it is needed)

    assert run.store is not None  # it was asked for
    check_out(planned, output)
    check_places(read, kept.output, *outputs(run.store, output, planned.files))
    check_folder(planned, output)
    if kept.results is not None:
        check_results(kept.results, planned)

    def show(ended: FinishedStudy, output: StudyOutput) -> None:
        show_table(ended, output)
        if kept.results is not None:
            with writing(kept.results):
                keep_results(ended, kept.results)

    return do_study(planned, run.store, run.running(limit), output, dry_run=run.dry_run, show=show)


def _of_a_name(
    name: str, run: StudyRun, paper: PaperOptions, kept: ResultsOptions, output: StudyOutput
) -> None:
    """Make the runs of all papers' tables, or of a calibration."""
    from sightline.api.list_papers import refuse_options  # noqa: PLC0415  (as late as it is needed)
    from sightline.api.study_names import STARTED_FROM_VECTORS, NamedStudy  # noqa: PLC0415  (torch)

    assert run.store is not None  # it was asked for
    others = {
        "datasets": paper.datasets,
        "vectors": None if name in STARTED_FROM_VECTORS else paper.vectors,
        "quick": paper.quick or None,
        "table": output.table,
        "out": output.out,
    }
    refuse_options({**output.of_a_file, **others}, name, "of one table, or of a study file")
    study = NamedStudy(
        name, run.store, paper.data, kept.results, paper.seeds, paper.vectors, kept.skip_counted
    )
    do_named_study(study, run, kept, output)


def _of_a_file(file: Path, output: StudyOutput) -> tuple[PlannedStudy, list[Input]]:
    """Plan the study of a file; return its inputs too: the file, and the data and vectors of its
    runs.
    """
    from sightline.api.study import plan_file  # noqa: PLC0415  (as late as it is needed)

    columns = (
        None if output.columns is None else [name.strip() for name in output.columns.split(",")]
    )
    planned = plan_file(file, columns=columns, spread=output.spread)
    read = [(f"data of {file}", one) for one in planned.data_places]
    return planned, [
        ("FILE.toml", file),
        *read,
        *((f"vectors of {file}", one) for one in planned.vector_places),
    ]


def _of_a_paper(name: str, paper: PaperOptions, asked: Params) -> tuple[PlannedStudy, list[Input]]:
    """Plan a table or figure of a paper, report the corpora left out, and return its inputs too."""
    from sightline.api.list_papers import corpora_of, quick_note  # noqa: PLC0415  (as late as it is needed)
    from sightline.api.study import plan_paper  # noqa: PLC0415  (as late as it is needed)

    if paper.data is None:
        message = f"missing; {name} needs the folder that holds {', '.join(corpora_of(name))}"
        raise SpecError(message, field="data")
    planned = plan_paper(name, asked, quick=paper.quick)
    for corpus, why in planned.left_out.items():
        print_message(f"left out: {corpus} ({why})")
    if paper.quick:
        print_message(quick_note(name, asked))
    read: list[Input] = [("--data", paper.data), ("--vectors", asked.vectors)]
    return planned, [*read, *(("--data", one) for one in planned.data_places)]
