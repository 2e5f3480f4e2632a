"""A named study on the command line: all tables of the papers, or a calibration."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import typer

from sightline.cli.cells import Ended, How, do_cells
from sightline.cli.output import emit, say, writing
from sightline.cli.places import Output, check_places
from sightline.errors import SpecError
from sightline.report.sheets.columns import aligned

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sightline.cli.artefacts import Wanted
    from sightline.experiments.store import Store
    from sightline.studies.results import Kept
    from sightline.studies.updating import Work

NOT_HELD = 3
"""The exit code where something that a study must hold does not."""


@dataclass(frozen=True)
class Results:
    """The results file of a named study, and what is run for it."""

    file: Path | None
    so_far: bool
    skip_counted: bool


def is_counted(name: str) -> bool:
    """Tell whether a study is known by a name of its own; a file of that name comes first."""
    if name.endswith(".toml") or Path(name).is_file():
        return False
    from sightline.studies.catalogue import CALIBRATIONS  # noqa: PLC0415  (torch)
    from sightline.studies.papers import ALL  # noqa: PLC0415  (torch)

    return name == ALL or name in CALIBRATIONS


def study_counted(name: str, wanted: Wanted, how: How, results: Results) -> None:
    """Run what a named study lacks, and bring the results file up to date."""
    from sightline.experiments.store import Store  # noqa: PLC0415  (as late as it is needed)
    from sightline.studies.catalogue import ids_of, without_corpora  # noqa: PLC0415  (torch)
    from sightline.studies.updating import work_on  # noqa: PLC0415  (torch)

    if wanted.data is None and name not in set(without_corpora()):
        raise SpecError(f"missing; {name} needs the folder that holds the corpora", field="data")
    if wanted.data is not None and not wanted.data.is_dir():
        raise SpecError(f"{wanted.data}: expected the folder that holds the corpora", field="data")
    file = None if results.file is None else Output("--results", results.file)
    check_places([("--data", wanted.data)], file, *how.outputs(name))
    names, folder, vectors = ids_of(name), wanted.data or Path(), how.store.parent
    if how.dry_run:
        with TemporaryDirectory() as aside:
            work = work_on(names, results.file, folder, vectors, wanted.seeds, Path(aside))
            return _show_progress(work, Store(how.store, make=False), as_json=how.as_json)
    work = work_on(names, results.file, folder, vectors, wanted.seeds)
    fails = list[str]()

    def show(ended: Ended) -> None:
        fails.extend(_show(work, ended.store, results.file, as_json=how.as_json))

    if results.so_far:
        show(Ended(Store.there(how.store), {}, ()))
    else:
        do_cells(work.grid(name, but_known=results.skip_counted), how, show)
    if fails:
        raise typer.Exit(NOT_HELD)
    return None


def _show_progress(work: Work, store: Store, *, as_json: bool) -> None:
    """Say what is left of the studies."""
    from sightline.studies.updating import progress  # noqa: PLC0415  (torch)

    found = progress(work, store)
    if as_json:
        return emit(found)
    names = ("planned", "done", "hours_left")
    lines = [(study, *(str(status[name]) for name in names)) for study, status in found.items()]
    head = ("study", "runs", "done", "hours left")
    told = "hours: of one worker, by what runs of the same data and model took, or were estimated to take before"
    return say([*aligned([head, *lines]), told])


def _show(work: Work, store: Store, file: Path | None, *, as_json: bool) -> list[str]:
    """Count the studies, write the file, and say how much of each is done; give what fails."""
    from sightline.studies.updating import recount, write_kept  # noqa: PLC0415  (torch)

    kept = recount(work, store)
    if file is not None:
        with writing(file):
            write_kept(file, kept)
    rows = [_row(name, kept) for name in work.plans]
    failed = [told for row in rows for told in row["fails"]]
    if as_json:
        emit(rows)
        return failed
    head = ("study", "runs", "done", "hours left", "gates", "hold")
    names = ("study", "planned", "done", "hours_left", "gates", "hold")
    lines = [tuple(str(row[key]) for key in names) for row in rows]
    say([*aligned([head, *lines]), *(f"fails: {told}" for told in failed)])
    return failed


def _row(name: str, kept: Mapping[str, Kept]) -> dict[str, Any]:
    from sightline.studies.updating import gates_of  # noqa: PLC0415  (torch)

    status, gates = kept[name].status, gates_of(name, kept[name])
    fails = [f"{one['name']}: {one['count']} of {one['of']} ({one['limit']})" for one in gates if not one["holds"]]
    progress = {key: status.get(key, 0) for key in ("planned", "done", "hours_left")}
    return {"study": name, **progress, "gates": len(gates), "hold": len(gates) - len(fails), "fails": fails}
