"""A study file as a `Study`: one run for each point of its grid, with its columns as readings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from sightline.core.errors import SpecError
from sightline.experiments.grid import Grid
from sightline.experiments.store import Store
from sightline.experiments.tabulate import VERDICT, numbers_of
from sightline.studies.aggregate import Number
from sightline.studies.kept_results import StudyResults, kept_of, rows_kept
from sightline.studies.results_file import locked, read_rows, write_rows
from sightline.studies.run_counts import count
from sightline.studies.run_plan import Plan
from sightline.studies.study_catalogue import ALL, STUDIES
from sightline.studies.study_definition import FinishedRun, Params, Study
from sightline.studies.unasked_results import with_unasked
from sightline.verdict.number_bounds import ends_of


def study_of(grid: Grid, columns: Sequence[str], figures: Sequence[str] = ()) -> Study:
    """Declare the study of a grid, from which some columns are read."""
    study = Study(
        grid.name,
        grid.name,
        axes=grid.axes,
        estimates=partial(_read, columns),
        figures=tuple(figures),
    )
    return study.over(grid)


def _read(columns: Sequence[str], run: FinishedRun) -> Mapping[str, Any]:
    """Read the columns that a run has."""
    summary = run.summary()
    known = numbers_of(summary, run.store.audit)
    found: dict[str, Any] = {VERDICT: summary.verdict} if VERDICT in columns else {}
    return found | {
        name: Number(known[name], None, ends_of(name)) for name in columns if name in known
    }


def check_file(file: Path, name: str) -> None:
    """Refuse anything but a results file, and a study whose rows there would replace those of a
    study of this package.
    """
    if name in {ALL, *STUDIES}:
        raise SpecError(
            f"expected a name that no study of this package has, got {name!r}: --results would replace "
            "its rows",
            field="name",
        )
    kept_of(read_rows(file))


def keep(study: Study, store: Store, file: Path) -> Path:
    """Update a results file with the finished runs of a study file; other studies stay, and so do
    seeds and corpora not asked for, and other columns of the same runs.
    """
    with locked(file):
        known = kept_of(read_rows(file))
        plan = Plan(study, Params(), (), {})
        before = known.get(study.id, StudyResults())
        counted = count(study, [plan], store, list(store.summaries()), before).kept
        readings = {
            name: (row, values if values is None else {**(before.said.get(name) or {}), **values})
            for name, (row, values) in counted.readings.items()
        }
        now = replace(counted, readings=readings)
        known[study.id] = with_unasked(study, [plan], now, before)
        rows = (row for name, kept in known.items() for row in rows_kept(name, kept))
        return write_rows(file, rows)
