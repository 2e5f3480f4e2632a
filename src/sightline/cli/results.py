"""``sightline results``: what a store holds, as a list, a file for other tools, or the answer to a query."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sightline.cli import flags
from sightline.cli.asking import answer, check_asked
from sightline.cli.output import emit, say, tell, write_text
from sightline.cli.places import Output, check_places
from sightline.errors import SpecError
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
Sql = Annotated[
    str | None,
    typer.Option(
        "--sql",
        metavar="QUERY",
        show_default="none",
        help=f"Answer a query, with tables runs, findings, numbers, estimates and texts; {flags.needs('duckdb')}.",
    ),
]
Out = Annotated[
    Path | None,
    typer.Option(
        "--out",
        metavar="FILE",
        show_default="printed",
        help="Write the answer of --sql in full: .csv, .json or .parquet.",
        rich_help_panel="Output",
    ),
]
HEAD = ("key", "state", "data", "model", "seed", "number", "value", "low", "high", "n", "seconds")


def results(
    store: flags.StoreFolder,
    csv_file: Csv = None,
    sql: Sql = None,
    out: Out = None,
    check: Check = False,
    as_json: flags.Json = False,
) -> None:
    """List the runs of a store: what each is, how it ended, and its verdict; or answer a query."""
    from sightline.experiments.store import Store  # noqa: PLC0415  (numpy and the report, for this command alone)

    written = [Output(flag, file) for flag, file in (("--csv", csv_file), ("--out", out)) if file is not None]
    check_places((("--store", store),), *written)
    kept = Store.there(store)
    _check_asked(csv_file, sql, out)
    torn = kept.check() if check else ()
    for key in torn:
        tell(f"torn or changed: {key}; a study that has this run does it again")
    if sql is not None:
        return answer(kept, sql, out, as_json)
    runs = kept.summaries()
    if csv_file is not None:
        write_text(csv_file, _as_csv(runs))
    if as_json:
        return emit([asdict(run) for run in runs])
    return say(
        [
            *aligned([("key", "state", "data", "model", "seed", "verdict"), *map(_line, runs)]),
            counted(len(runs), "run"),
        ]
    )


def _check_asked(csv_file: Path | None, sql: str | None, out: Path | None) -> None:
    """Refuse a file of the list beside a query, and one of an answer without it; and what cannot be answered."""
    if sql is None and out is not None:
        raise SpecError("is where the answer of --sql goes; name a query, or take --csv for all numbers", field="out")
    if sql is not None and csv_file is not None:
        raise SpecError("lists every run, and --sql answers a query; take --out for its answer", field="csv_file")
    if sql is not None:
        check_asked(out)


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
