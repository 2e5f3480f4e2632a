"""``sightline results``: what a store holds, as a list or a file for other tools."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sightline.archive import write_whole
from sightline.cli import flags
from sightline.cli.output import aligned, check_file, emit, say, writing
from sightline.report.sheet import csv_text

if TYPE_CHECKING:
    from sightline.experiments.store import Summary

Csv = Annotated[
    Path | None,
    typer.Option("--csv", metavar="FILE", show_default="not written", help="Write one line a run and number, in full."),
]
HEAD = ("key", "state", "data", "model", "seed", "number", "value", "low", "high", "n", "seconds")


def results(store: flags.StoreFolder, csv_file: Csv = None, as_json: flags.Json = False) -> None:
    """List the runs of a store: what each is, how it ended, its verdict and accuracy."""
    from sightline.errors import StoreError  # noqa: PLC0415  (as late as it is needed)
    from sightline.experiments.store import Store  # noqa: PLC0415  (torch)

    if not (store / "store.json").exists():
        raise StoreError(f"--store {store}: expected a folder that `sightline study` wrote")
    runs = list(Store(store).summaries())
    if csv_file is not None:
        check_file(csv_file, "--csv")
        write_csv(csv_file, runs)
    if as_json:
        return emit([{name: getattr(run, name) for name in run.__dataclass_fields__} for run in runs])
    return say(
        [*aligned([("key", "state", "data", "model", "seed", "verdict"), *map(_line, runs)]), f"{len(runs)} runs"]
    )


def write_csv(file: Path, runs: list[Summary]) -> None:
    """Write one line a run and number, in full."""

    def write(aside: Path) -> None:
        aside.write_bytes(_as_csv(runs).encode())

    with writing(file):
        write_whole(file, write)


def _line(run: Summary) -> tuple[str, ...]:
    return run.key, run.state, *_about(run), run.verdict or run.error


def _about(run: Summary) -> tuple[str, str, str]:
    """Write data, model and seed of a run as their spec texts."""
    from sightline.spec import run_from_json  # noqa: PLC0415  (as late as it is needed)

    spec = run_from_json(run.spec)
    return str(spec.data), str(spec.model), str(spec.seed)


def _as_csv(runs: list[Summary]) -> str:
    out = io.StringIO()
    rows = csv.writer(out)
    rows.writerow(HEAD)
    rows.writerows(row for run in runs for row in _rows(run))
    return out.getvalue()


def _rows(run: Summary) -> list[list[Any]]:
    about = [run.key, run.state, *map(csv_text, _about(run))]
    names = [*(run.metrics or {}), *(run.findings or {})]
    numbers = [(name, run.estimate(name)) for name in names]
    rows = [[*about, name, e.value, e.low, e.high, e.n, run.seconds] for name, e in numbers if e is not None]
    return rows or [[*about, "", "", "", "", "", run.seconds]]
