"""Run a study from a file, plain values or a paper's table: plan it, make its missing runs, and
tabulate all.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from sightline._io.home_folder import from_home
from sightline.api.list_papers import OF_A_PAPER, refuse_misspelt, refuse_options
from sightline.config.base_runs import lender_of, names_lent_by
from sightline.config.specs import OWN
from sightline.core.errors import SpecError, StoreError
from sightline.core.results import Table
from sightline.core.whole_numbers import whole
from sightline.experiments.executors.executor import training_folders
from sightline.experiments.executors.worker_choice import Workers, executor_of, read_workers
from sightline.experiments.grid import Grid, grid_from
from sightline.experiments.store import Store, Summary
from sightline.experiments.study_file import read_toml
from sightline.experiments.study_outputs import shown_from
from sightline.experiments.tabulate import Spread, check_columns, tabulate
from sightline.report.tables.markdown_table import to_markdown
from sightline.report.tables.terminal_table import to_text
from sightline.studies.papers.paper_index import PAPER_TABLES, plan_named
from sightline.studies.papers.predicted_cost import left_of
from sightline.studies.papers.published_comparison import compare
from sightline.studies.papers.write_outputs import (
    Drawing,
    check_written,
    drawings_of,
    figures_of,
    file_name,
    files_of,
    runs_of,
    write_all,
)
from sightline.studies.study_corpora import vectors_of
from sightline.studies.study_definition import Params

if TYPE_CHECKING:
    from sightline.config.specs import RunSpec


class OnRun(Protocol):
    """Called as each run of a study ends."""

    def __call__(self, ending: str, description: str, /) -> None:
        """Receive the ending of a run and a sentence on it."""


class ShowRuns(Protocol):
    """Returns the callback for the runs of a study."""

    def __call__(self, total: int, states: int, /) -> AbstractContextManager[OnRun]:
        """Start to show ``total`` runs, whose trainings have so many saved states."""


@contextmanager
def silent(total: int, states: int) -> Iterator[OnRun]:
    """Show nothing."""
    yield lambda ending, description: None


@dataclass(frozen=True, kw_only=True)
class RunSettings:
    """How the runs of a study are made; ``limit`` is the most missing runs to make."""

    workers: Workers = field(default_factory=Workers)
    limit: int | None = None
    retry_failed: bool = False

    def wants(self, summary: Summary | None) -> bool:
        """Tell whether a run is to be made."""
        return summary is None or (self.retry_failed and summary.state == "failed")


@dataclass(frozen=True)
class PlannedStudy:
    """A planned study: its grid, and how its table is made."""

    name: str
    """The name of its files."""
    grid: Grid
    figures: Sequence[str]
    table: Callable[[FinishedStudy], Table]
    drawings: Callable[[FinishedStudy, Table], Iterable[Drawing]]
    left_out: Mapping[str, str] = field(default_factory=dict)
    """Missing corpora of a paper, with the reasons."""
    columns: Sequence[str] = ()
    """The columns in the table of a study file."""
    seconds_left: Callable[[Store], Mapping[str, float]] | None = None
    """Predicts the seconds of each missing run by its key, where the corpora are known."""
    together: int = 0
    """How many labels the runs of one figure share, if a figure draws several."""

    def files(self) -> list[str]:
        """Name every file that the study may write into the folder of its outputs."""
        return files_of(self.name, self.grid, self.figures, self.together)

    def check_folder(self, folder: Path) -> None:
        """Refuse a folder with a file of such a name that this study did not write."""
        check_written(self.grid.name, self.files(), folder)

    @property
    def data_places(self) -> set[Path]:
        """The files or folders that texts are read from."""
        return {Path(place) for spec in self.grid.specs for place in spec.data.places}

    @property
    def vector_places(self) -> set[Path]:
        """The files of word vectors."""
        return {Path(spec.model.vectors) for spec in self.grid.specs if spec.model.vectors}


@dataclass(frozen=True)
class FinishedStudy:
    """A study after its runs were made: the runs found, and the runs that another process has."""

    study: PlannedStudy
    store: Store
    found: Mapping[str, Summary]
    elsewhere: Collection[str]

    @property
    def failed(self) -> list[Summary]:
        """The runs that failed."""
        return [summary for summary in self.found.values() if summary.state == "failed"]


def plan_file(
    what: str | Path | Mapping[str, Any],
    *,
    columns: Sequence[str] | None = None,
    spread: Spread = "interval",
) -> PlannedStudy:
    """Read a study from its TOML file or from plain values; ``columns`` replace the columns that it
    names.
    """
    check_columns(columns or ())
    tree, folder, where = _read(what)
    grid, shown = grid_from(tree, folder, where), shown_from(tree, where)
    chosen = shown.columns if columns is None else tuple(columns)

    def table(ended: FinishedStudy) -> Table:
        options: dict[str, Any] = {"columns": chosen, "spread": spread, "audits": ended.store.audit}
        return tabulate(grid, ended.found, ended.elsewhere, **options)

    def drawings(ended: FinishedStudy, table: Table) -> Iterable[Drawing]:
        return drawings_of(grid, shown.figures, table, ended.store)

    return PlannedStudy(file_name(grid.name), grid, shown.figures, table, drawings, columns=chosen)


def plan_paper(name: str, asked: Params, *, quick: bool = False) -> PlannedStudy:
    """Plan a table or figure of a paper; its table also shows the printed values."""
    plan = plan_named(name, asked, quick=quick)
    called, figures = plan.study.name, plan.study.figures

    def drawings(ended: FinishedStudy, table: Table) -> Iterable[Drawing]:
        return figures_of(called, figures, runs_of(plan.grid, ended.store), together=1)

    return PlannedStudy(
        called,
        plan.grid,
        figures,
        lambda ended: compare(plan, ended.store),
        drawings,
        plan.absent,
        seconds_left=lambda store: left_of(plan.keyed, store),
        together=1,
    )


def check_results(file: Path, study: PlannedStudy) -> None:
    """Refuse a results file that cannot take the readings of a study file, before hours are
    spent.
    """
    from sightline.studies.study_from_file import check_file  # noqa: PLC0415  (as late as it is needed)

    check_file(file, study.grid.name)


def keep_results(ended: FinishedStudy, file: Path) -> Path:
    """Update a results file with the readings of a study file's runs."""
    from sightline.studies.study_from_file import keep, study_of  # noqa: PLC0415  (as late as it is needed)

    planned = ended.study
    return keep(study_of(planned.grid, planned.columns, planned.figures), ended.store, file)


def runs_to_make(
    study: PlannedStudy, found: Mapping[str, Summary], running: RunSettings
) -> list[RunSpec]:
    """List the runs to make, each after the run whose attention it borrows."""
    specs = zip(study.grid.specs, study.grid.keys, strict=True)
    wanted = [spec for spec, key in specs if running.wants(found.get(key))]
    return [spec for wave in _lenders_first(wanted) for spec in wave][: running.limit]


def run_study(
    study: PlannedStudy, store: Store, running: RunSettings, progress: ShowRuns = silent
) -> FinishedStudy:
    """Make the missing runs of a study, and return all that exist."""
    store.sweep()
    found = store.find(study.grid.keys)
    every = runs_to_make(study, found, replace(running, limit=None))
    todo = every[: running.limit]
    _check_tables(todo)
    left = set[str]()
    if todo:
        with progress(len(todo), _states_of(todo, store)) as show:
            left = _make(every, store, running, show)
        store.sweep()  # workers may have been killed meanwhile
    # Runs that were complete at the start are not read again; runs of other processes may be
    # complete by now.
    found |= store.find(key for key in study.grid.keys if running.wants(found.get(key)))
    return FinishedStudy(study, store, found, left & {*study.grid.keys} - found.keys())


def _states_of(todo: Sequence[RunSpec], store: Store) -> int:
    """Count the unfinished trainings of runs whose state a stopped study left."""
    needed = {folder.name for spec in todo for folder in training_folders(spec, store)}
    return sum(store.partway_folder(key).is_dir() for key in needed)


def _make(every: Sequence[RunSpec], store: Store, running: RunSettings, show: OnRun) -> set[str]:
    """Make runs, at most as many as the limit; runs that another process has do not count toward
    it, and their names are returned.
    """
    left, most = set[str](), running.limit or len(every)
    for wave in _lenders_first(every):
        waiting = [spec for spec in wave if lender_of(spec) in left]
        ready = [spec for spec in wave if spec not in waiting]
        while ready and most > 0:
            batch, ready = ready[:most], ready[most:]
            for done in executor_of(running.workers).run(batch, store, again=running.retry_failed):
                lent = names_lent_by(done.spec)
                left = left | lent if done.ending == "missing" else left - lent
                most -= done.ending in ("done", "failed")
                if done.ending != "missing" or running.limit is None:
                    show(done.ending, done.description)
        for spec in waiting if most > 0 else ():
            left |= names_lent_by(spec)
            if running.limit is None:
                show("missing", "")
    return left


def _lenders_first(todo: Sequence[RunSpec]) -> Iterator[list[RunSpec]]:
    """Split runs into waves: a run that borrows attention comes after the run that lends it."""
    left = [*todo]
    while any(lender_of(spec) for spec in left):
        lending = {name for spec in left for name in names_lent_by(spec)}
        yield [spec for spec in left if lender_of(spec) not in lending]
        left = [spec for spec in left if lender_of(spec) in lending]
    if left:
        yield left


@dataclass(frozen=True)
class Studied:
    """The table of a study, the files that were written, and why any figure was not."""

    table: Table
    files: tuple[Path, ...]
    not_drawn: tuple[str, ...]

    def __str__(self) -> str:
        """Write the table as the command line does."""
        return to_text(self.table)

    def _repr_markdown_(self) -> str:
        return to_markdown(self.table)


def study(
    what: str | Path | Mapping[str, Any],
    *,
    store: str | Path,
    workers: int | str = 1,
    out: str | Path | None = None,
    data: str | Path | None = None,
    datasets: Sequence[str] = (),
    seeds: int | None = None,
    limit: int | None = None,
    vectors: str | Path | None = None,
) -> Studied:
    """Make the missing runs of a study and return its table, as ``sightline study`` does.

    Parameters
    ----------
    what
        The TOML file of a study, the same as plain values (``{"name": …, "base": {…}, "axes":
        {…}}``), or the id of a paper's table or figure such as ``jain2019:J-2``.
    store
        The folder in which runs are kept; what is there is not run again.
    workers
        Processes, or ``ray`` or ``ray:HOST:PORT``. Several start new processes, so a script calls
        this under ``if __name__ == "__main__"``.
    out
        A folder for the table in every form and for the figures.
    data, datasets, seeds, limit, vectors
        Of a paper's table: the folder of its corpora, which of them, how many seeds, how many test
        texts, and word vectors that models start from (``none``: random words); what is not said is
        as the protocol has it.
    """
    seeds, limit = (
        None if number is None else whole(number, name, 1)
        for name, number in {"seeds": seeds, "limit": limit}.items()
    )
    if isinstance(what, str) and what in PAPER_TABLES:
        if data is None:
            raise SpecError(
                f"missing; {what} needs the folder that holds its corpora", field="data"
            )
        place = from_home(data)
        start = vectors_of(place, vectors)
        planned = plan_paper(what, Params(place, seeds, tuple(datasets), limit, start))
    else:
        if isinstance(what, str):
            refuse_misspelt(what)
        asked = {"data": data, "datasets": datasets or None, "seeds": seeds, "limit": limit}
        name = "a study as plain values" if isinstance(what, Mapping) else str(what)
        refuse_options(asked | {"vectors": vectors}, name, OF_A_PAPER)
        planned = plan_file(what)
    folder = None if out is None else from_home(out)
    if folder is not None:
        planned.check_folder(folder)  # before hours are spent
    running = RunSettings(workers=read_workers(str(workers)), retry_failed=True)
    ended = run_study(planned, Store(from_home(store)), running)
    _refuse_unfinished(ended)
    table = planned.table(ended)
    return write_study(ended, table, folder)


def write_study(ended: FinishedStudy, table: Table, out: Path | None) -> Studied:
    """Write the table of a study and its figures into a folder, if one is named."""
    if out is None:
        return Studied(table, (), ())
    paths, left = write_all(ended.study.grid.name, table, ended.study.drawings(ended, table), out)
    return Studied(table, tuple(paths), tuple(left))


def _refuse_unfinished(ended: FinishedStudy) -> None:
    """Refuse a table with runs that failed, or that another process has."""
    of, lacking = (
        f"of {len(ended.study.grid.specs)} runs",
        (len(ended.failed), len(ended.elsewhere)),
    )
    if lacking[0]:
        one = ended.failed[0]
        message = (
            f"{lacking[0]} {of} failed, the first {one.model} on {one.data} with seed {one.seed}: "
            f"{one.error}"
        )
        raise StoreError(f"{ended.store.root}: {message}; the same call runs them again")
    if lacking[1]:
        message = f"{lacking[1]} {of} are being made by another process"
        raise StoreError(f"{ended.store.root}: {message}; call again when it has ended")


def _read(what: str | Path | Mapping[str, Any]) -> tuple[Mapping[str, Any], Path, str]:
    if isinstance(what, Mapping):
        return what, Path(), "the study"
    return read_toml(Path(what)), Path(what).parent, str(what)


def _check_tables(todo: Sequence[RunSpec]) -> None:
    """Read the user's own texts once before the first run: a wrong column is a mistake in the
    study.
    """
    from sightline.data.assembly.user_corpus import read_table  # noqa: PLC0415  (as late as it is needed)

    for data in dict.fromkeys(spec.data for spec in todo if spec.data.kind in OWN):
        read_table(data)
