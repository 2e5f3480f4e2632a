"""A study from Python: what a file or plain values say, or a paper's table by its id."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sightline.errors import SpecError
from sightline.experiments.executors.asked import executor_of, read_workers
from sightline.experiments.grid import Grid, grid_from
from sightline.experiments.shown import shown_from
from sightline.experiments.store import Store
from sightline.experiments.study_file import read_toml
from sightline.experiments.tabulate import tabulate
from sightline.report.sheets.markdown import to_markdown
from sightline.report.sheets.terminal import to_text
from sightline.results import Table
from sightline.studies.artefact import SEEDS, Asked
from sightline.studies.artefacts import ARTEFACTS, plan_named
from sightline.studies.beside import compare
from sightline.studies.drawn import Drawing, drawings_of, figures_of, file_name, runs_of, write_all
from sightline.studies.study import complete, plan


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
    seeds: int = SEEDS,
    limit: int | None = None,
    vectors: str | Path | None = None,
) -> Studied:
    """Run the cells of a study that are not in a store yet, and give the table of all; as ``sightline study`` does.

    Parameters
    ----------
    what
        The TOML file of a study, the same as plain values (``{"name": …, "base": {…}, "axes": {…}}``), or the id of a
        paper's table or figure such as ``jain2019:J-2``.
    store
        The folder in which runs are kept; what is there is not run again.
    workers
        Processes, or ``ray`` or ``ray:HOST:PORT``. Several start new processes, so a script calls this under
        ``if __name__ == "__main__"``.
    out
        A folder for the table in every form and for the figures.
    data, datasets, seeds, limit, vectors
        Of a paper's table: the folder of its corpora, which of them, how many seeds, how many test texts, and word
        vectors that models start from.
    """
    kept = Store(Path(store))
    if isinstance(what, str) and what in ARTEFACTS:
        if data is None:
            raise SpecError(f"missing; {what} needs the folder that holds its corpora", field="data")
        asked = Asked(Path(data), seeds, tuple(datasets), limit, None if vectors is None else Path(vectors))
        return _of_a_paper(what, asked, kept, workers, out)
    tree, folder, where = _read(what)
    grid, shown = grid_from(tree, folder, where), shown_from(tree, where)
    _run(grid, kept, workers)
    table = tabulate(grid, kept.find(grid.keys), columns=shown.columns, audits=kept.audit)
    return _written(grid.name, table, drawings_of(grid, shown.figures, table, kept), out)


def _read(what: str | Path | Mapping[str, Any]) -> tuple[Mapping[str, Any], Path, str]:
    if isinstance(what, Mapping):
        return what, Path(), "the study"
    return read_toml(Path(what)), Path(what).parent, str(what)


def _of_a_paper(name: str, asked: Asked, store: Store, workers: int | str, out: str | Path | None) -> Studied:
    planned = plan_named(name, asked)
    _run(planned.grid, store, workers)
    one = planned.artefact
    drawings = figures_of(one.name, one.figures, runs_of(planned.grid, store), together=1)
    return _written(one.name, compare(planned, store), drawings, out)


def _run(grid: Grid, store: Store, workers: int | str) -> None:
    complete(plan(grid, store).todo, store, executor_of(read_workers(str(workers))))


def _written(name: str, table: Table, drawings: Iterable[Drawing], out: str | Path | None) -> Studied:
    paths, left = ([], []) if out is None else write_all(file_name(name), table, drawings, Path(out))
    return Studied(table, tuple(paths), tuple(left))
