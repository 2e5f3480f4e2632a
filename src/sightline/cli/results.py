"""``sightline results``: what a store holds, as a list or a file for other tools."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sightline.cli import flags
from sightline.cli.output import emit, say, tell, write_text
from sightline.cli.places import Output, check_places
from sightline.errors import StoreError
from sightline.files import plain
from sightline.report.numerals import counted
from sightline.report.sheets.columns import aligned
from sightline.report.sheets.csv import csv_text

if TYPE_CHECKING:
    from sightline.experiments.store import Summary

Csv = Annotated[
    Path | None,
    typer.Option("--csv", metavar="FILE", show_default="not written", help="Write one line a run and number, in full."),
]
Check = Annotated[
    bool,
    typer.Option(
        "--check", metavar="", help="Read every byte of every run first, and name those that are torn or changed."
    ),
]
HEAD = ("key", "state", "data", "model", "seed", "number", "value", "low", "high", "n", "seconds")


def results(store: flags.StoreFolder, csv_file: Csv = None, check: Check = False, as_json: flags.Json = False) -> None:
    """List the runs of a store: what each is, how it ended, and its verdict."""
    from sightline.experiments.store import Store  # noqa: PLC0415  (numpy and the report, for this command alone)

    check_places((("--store", store),), None if csv_file is None else Output("--csv", csv_file))
    if not (store / "store.json").exists():
        raise StoreError(f"--store {store}: expected a folder that `sightline study` wrote")
    kept = Store(store)
    torn = kept.check() if check else ()
    runs = kept.summaries()
    if csv_file is not None:
        write_text(csv_file, _as_csv(runs))
    for key in torn:
        tell(f"torn or changed: {key}; a study that has this run does it again")
    if as_json:
        return emit([asdict(run) for run in runs])
    return say(
        [
            *aligned([("key", "state", "data", "model", "seed", "verdict"), *map(_line, runs)]),
            counted(len(runs), "run"),
        ]
    )


def _line(run: Summary) -> tuple[str, ...]:
    return run.key, run.state, run.data, run.model, str(run.seed), run.verdict or run.error


def _as_csv(runs: Sequence[Summary]) -> str:
    out = io.StringIO()
    rows = csv.writer(out)
    rows.writerow(HEAD)
    rows.writerows(row for run in runs for row in _rows(run))
    return out.getvalue()


def _rows(run: Summary) -> list[list[Any]]:
    from sightline.experiments.rows import main_numbers  # noqa: PLC0415  (numpy and the report)

    about = [run.key, run.state, csv_text(run.data), csv_text(run.model), run.seed]
    # Undefined numbers are left empty, as the JSON has null.
    rows = [
        plain([*about, one.quantity, one.value, one.low, one.high, one.n, run.seconds]) for one in main_numbers(run)
    ]
    return rows or [[*about, "", "", "", "", "", run.seconds]]
