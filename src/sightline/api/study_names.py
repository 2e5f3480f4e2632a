"""Named studies: all tables of the papers together, and the calibrations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sightline.api.study import FinishedStudy, PlannedStudy
from sightline.core.errors import SpecError
from sightline.core.results import Table, TableCell
from sightline.experiments.store import Store
from sightline.studies.kept_results import StudyResults
from sightline.studies.study_catalogue import ALL as ALL
from sightline.studies.study_catalogue import (
    CALIBRATIONS,
    INFORMATION,
    STUDIES,
    ids_of,
    without_corpora,
)
from sightline.studies.study_corpora import vectors_of
from sightline.studies.update_results import Work as Work
from sightline.studies.update_results import gates_of, progress, recount, update_file, work_on

NUMBERS = ("planned", "done", "hours_left", "gates", "hold")

STARTED_FROM_VECTORS = (ALL, INFORMATION)
"""The named studies with models whose words start from vectors."""


@dataclass(frozen=True)
class NamedStudy:
    """A named study, the folder of its runs and the file of its results.

    ``store`` holds the runs; the word vectors of calibrations lie next to it, and are made if
    needed. ``vectors`` is a file of initial word vectors for the papers' models (``none``: random;
    nothing: the file in the folder of the corpora). ``skip_counted`` leaves out runs that the file
    of results has.
    """

    name: str
    store: Path
    data: Path | None = None
    results: Path | None = None
    seeds: int | None = None
    vectors: str | Path | None = None
    skip_counted: bool = False

    def check(self) -> None:
        """Refuse a study of corpora without their folder, and to skip runs without their file."""
        if self.skip_counted and self.results is None:
            raise SpecError(
                "expected --results, the file whose runs are skipped", field="skip_counted"
            )
        if self.data is None and self.name not in set(without_corpora()):
            raise SpecError(
                f"missing; {self.name} needs the folder that holds the corpora", field="data"
            )
        if self.data is not None and not self.data.is_dir():
            raise SpecError(
                f"{self.data}: expected the folder that holds the corpora", field="data"
            )

    def work(self, aside: Path | None = None) -> Work:
        """Plan its runs; with a folder ``aside`` no vectors are made."""
        folder, learned = self.data or Path(), self.store.parent
        words = vectors_of(self.data, self.vectors) if self.name in STARTED_FROM_VECTORS else None
        names = ids_of(self.name)
        work = work_on(names, self.results, folder, learned, self.seeds, aside, words)
        if self.name != ALL:
            self._check_seeds(work)
        if self.name == ALL and not any(plan.corpora for plan in work.papers.values()):
            why = "; ".join(f"{corpus}: {lack}" for corpus, lack in left_out(work).items())
            raise SpecError(
                f"{folder} has none of the corpora that the papers’ tables are of ({why})",
                field="data",
            )
        return work

    def _check_seeds(self, work: Work) -> None:
        """Refuse a number of seeds that a calibration does not have: some have a fixed one, others
        a highest.
        """
        planned = {run.seed for plan in work.plans[self.name] for run in plan.grid.specs}
        if self.seeds not in (None, len(planned)):
            message = f"{self.name} would be made with {len(planned)}, and not with {self.seeds}"
            raise SpecError(f"{message}; leave it out, or ask for {len(planned)}", field="seeds")


def is_known(name: str) -> bool:
    """Tell whether a study has this name."""
    return name == ALL or name in CALIBRATIONS


def left_out(work: Work) -> dict[str, str]:
    """Name the missing corpora of the papers' tables, each with the reason."""
    plans = work.papers.values()
    return {corpus: why for plan in plans for corpus, why in plan.absent.items()}


def plan_named_study(study: NamedStudy, work: Work) -> PlannedStudy:
    """Plan the runs of a named study."""
    grid = work.grid(study.name, but_known=study.skip_counted)

    def table(ended: FinishedStudy) -> Table:
        return _table(study.name, count(study, work, ended.store))

    return PlannedStudy(study.name, grid, (), table, lambda ended, table: ())


@contextmanager
def stored(study: NamedStudy) -> Iterator[tuple[Work, Store]]:
    """Open the store of a study and plan its runs; nothing is run, and no vectors are made."""
    store = Store.there(study.store)
    with TemporaryDirectory() as aside:
        yield study.work(Path(aside)), store


def progress_of(study: NamedStudy) -> tuple[dict[str, Mapping[str, Any]], list[str]]:
    """Return how much of a study is done, the hours of the rest, and notes on earlier counts;
    nothing is written.
    """
    with TemporaryDirectory() as aside:
        work = study.work(Path(aside))
        return progress(_to_make(study, work), Store(study.store, make=False)), work.notes


def _to_make(study: NamedStudy, work: Work) -> Work:
    """Return the work with the runs of the results file as done, only if they are skipped."""
    return work if study.skip_counted else work.uncounted


def forecast_of(study: NamedStudy, work: Work) -> dict[str, Any]:
    """Return what remains of the papers' tables, by table and corpus and by stage; nothing is
    written.
    """
    found = _to_make(study, work).forecast(Store(study.store, make=False))
    return {
        "tables": found.by_table(),
        "stages": found.by_stage(),
        "together": found.status,
        "pace": found.pace,
    }


def count(study: NamedStudy, work: Work, store: Store) -> list[dict[str, Any]]:
    """Count the runs in the store, update the results file, and return how much of each study is
    done.
    """
    kept = (
        recount(work, store) if study.results is None else update_file(study.results, work, store)
    )
    whole = {name: plans for name, plans in work.plans.items() if STUDIES[name].whole}
    now = progress(replace(work, plans=whole, before=kept), store) if whole else {}
    return [_row(name, kept[name], now.get(name, kept[name].status)) for name in work.plans]


def _row(name: str, kept: StudyResults, status: Mapping[str, Any]) -> dict[str, Any]:
    gates = gates_of(name, kept)
    fails = [
        f"{one['name']}: {one['count']} of {one['of']} ({one['limit']})"
        for one in gates
        if not one["holds"]
    ]
    done = {key: status.get(key, 0) for key in ("planned", "done", "hours_left")}
    return {
        "study": name,
        **done,
        "gates": len(gates),
        "hold": len(gates) - len(fails),
        "fails": fails,
    }


def _table(name: str, rows: list[dict[str, Any]]) -> Table:
    cells = tuple(tuple(TableCell(row[key]) for key in NUMBERS) for row in rows)
    return Table(name, NUMBERS, cells, tuple((row["study"],) for row in rows), ("study",))
