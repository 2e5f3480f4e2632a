"""Named studies on the command line: all tables of the papers, or a calibration."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from sightline.cli.exit_codes import GATE_CLOSED
from sightline.cli.flag_groups import ResultsOptions, StudyOutput, StudyRun
from sightline.cli.output import emit, print_lines, print_message, writing
from sightline.cli.output_checks import check_places
from sightline.cli.study_loop import do_study, outputs
from sightline.report.column_layout import aligned

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sightline.api.store_runs import Store
    from sightline.api.study import FinishedStudy
    from sightline.api.study_names import NamedStudy, Work


def is_named_study(name: str) -> bool:
    """Tell whether a study has this name; a file of that name takes precedence."""
    if name.endswith(".toml") or Path(name).is_file():
        return False
    from sightline.api.study_names import is_known  # noqa: PLC0415  (torch)

    return is_known(name)


def do_named_study(
    study: NamedStudy, run: StudyRun, kept: ResultsOptions, output: StudyOutput
) -> None:
    """Make the missing runs of a named study, and update the results file."""
    from sightline.api import study_names as api  # noqa: PLC0415  (torch)

    study.check()
    check_places([("--data", study.data)], kept.output, *outputs(study.store, output))
    if run.dry_run and study.name != api.ALL:
        found, notes = api.progress_of(study)
        _print_notes(notes)
        return _show_progress(found, as_json=output.as_json)
    failed = list[str]()
    if kept.so_far and not run.dry_run:
        with api.stored(study) as (work, store):
            _print_plan(work)
            failed.extend(_count(study, work, store, output))
    else:
        work = study.work()
        _print_plan(work)
        if run.dry_run:
            return _show_forecast(api.forecast_of(study, work), as_json=output.as_json)

        def show(ended: FinishedStudy, output: StudyOutput) -> None:
            failed.extend(_count(study, work, ended.store, output))

        planned, running = api.plan_named_study(study, work), run.running(run.limit)
        do_study(planned, study.store, running, output, dry_run=False, show=show)
    if failed:
        raise typer.Exit(GATE_CLOSED)
    return None


def _count(study: NamedStudy, work: Work, store: Store, output: StudyOutput) -> list[str]:
    """Count the runs in a store, update the results file, and print both; return what fails."""
    from sightline.api import study_names as api  # noqa: PLC0415  (torch)

    with writing(study.results or study.store):
        rows = api.count(study, work, store)
    return _show(rows, as_json=output.as_json)


def _print_plan(work: Work) -> None:
    """Print notes on earlier counts, and the corpora that are left out."""
    from sightline.api import study_names as api  # noqa: PLC0415  (torch)

    _print_notes(work.notes)
    for corpus, why in api.left_out(work).items():
        print_message(f"left out: {corpus} ({why})")


def _print_notes(notes: list[str]) -> None:
    for note in notes:
        print_message(f"note: {note}")


def _show_progress(found: Mapping[str, Mapping[str, Any]], *, as_json: bool) -> None:
    """Print what remains of the studies."""
    if as_json:
        return emit(found)
    names = ("planned", "done", "hours_left")
    lines = [(study, *(str(status[name]) for name in names)) for study, status in found.items()]
    head = ("study", "runs", "done", "hours left")
    text = (
        "hours: of one worker, by what runs of the same data and model took, or were estimated "
        "to take before"
    )
    return print_lines([*aligned([head, *lines]), text])


def _show_forecast(found: Mapping[str, Any], *, as_json: bool) -> None:
    """Print what remains of the papers' tables: by table and corpus, and by stage in the order of
    the runs.
    """
    from sightline.api.study_forecast import PREDICTED  # noqa: PLC0415  (as late as it is needed)

    if as_json:
        return emit(found)
    head = ("table", "corpus", "configurations", "seeds", "runs", "new", "to run", "hours")
    names = ("table", "corpus", "configurations", "seeds", "runs", "new", "to_run", "hours_left")
    tables = [tuple(str(row[name]) for name in names) for row in found["tables"]]
    of_stage = ("stage", "new", "to_run", "hours_left", "hours_by_its_end")
    stages = [tuple(str(row[name]) for name in of_stage) for row in found["stages"]]
    together = found["together"]
    return print_lines(
        [
            *aligned([head, *tables]),
            "new: runs that no table above needs; their hours are of one worker, with the trainings "
            "that no run above needs",
            "",
            *aligned([("stage", "new runs", "to run", "hours", "hours by its end"), *stages]),
            "",
            f"{together['planned']:,} runs, {together['done']:,} done; the others take about "
            f"{together['hours_left']:,.1f} hours of one worker, {PREDICTED}",
            *_pace(found["pace"], together["hours_left"]),
        ]
    )


def _pace(pace: float | None, hours: float) -> list[str]:
    """Estimate the hours of the rest at the pace of the finished runs."""
    if pace is None:
        return []
    return [
        f"the runs in the store took {pace:.1f} times as long as predicted: at their pace about "
        f"{pace * hours:,.1f} hours"
    ]


def _show(rows: list[dict[str, Any]], *, as_json: bool) -> list[str]:
    """Print how much of each study is done; return what fails."""
    failed = [label for row in rows for label in row["fails"]]
    if as_json:
        emit(rows)
        return failed
    head = ("study", "runs", "done", "hours left", "gates", "hold")
    names = ("study", "planned", "done", "hours_left", "gates", "hold")
    lines = [tuple(str(row[key]) for key in names) for row in rows]
    print_lines([*aligned([head, *lines]), *(f"fails: {label}" for label in failed)])
    return failed
