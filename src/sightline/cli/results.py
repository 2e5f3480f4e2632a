"""``sightline results``: what a store holds, as a list or a file for other tools."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sightline.cli import flags
from sightline.cli.output import check_file, emit, say, write_text
from sightline.collector import collector_paused
from sightline.report.sheets.columns import aligned
from sightline.report.sheets.csv import csv_text

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
    from sightline.experiments.store import Store  # noqa: PLC0415  (as late as it is needed)

    if not (store / "store.json").exists():
        raise StoreError(f"--store {store}: expected a folder that `sightline study` wrote")
    with collector_paused():
        runs = list(Store(store).summaries())
    if csv_file is not None:
        check_file(csv_file, "--csv")
        write_text(csv_file, _as_csv(runs))
    if as_json:
        return emit([{name: getattr(run, name) for name in run.__dataclass_fields__} for run in runs])
    return say(
        [*aligned([("key", "state", "data", "model", "seed", "verdict"), *map(_line, runs)]), f"{len(runs)} runs"]
    )


def _line(run: Summary) -> tuple[str, ...]:
    return run.key, run.state, run.data, run.model, str(run.seed), run.verdict or run.error


def _as_csv(runs: list[Summary]) -> str:
    out = io.StringIO()
    rows = csv.writer(out)
    rows.writerow(HEAD)
    rows.writerows(row for run in runs for row in _rows(run))
    return out.getvalue()


def _rows(run: Summary) -> list[list[Any]]:
    about = [run.key, run.state, csv_text(run.data), csv_text(run.model), run.seed]
    names = [*(run.metrics or {}), *(run.findings or {})]
    numbers = [(name, run.estimate(name)) for name in names]
    rows = [[*about, name, e.value, e.low, e.high, e.n, run.seconds] for name, e in numbers if e is not None]
    return rows or [[*about, "", "", "", "", "", run.seconds]]
