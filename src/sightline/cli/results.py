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
Memory = Annotated[
    int | None,
    typer.Option(
        "--memory",
        metavar="SIZE",
        parser=flags.read_memory,
        show_default="half of what is free, at least 256M",
        help="The memory that --sql may take for its query and its answer, such as 512M or 4G.",
        rich_help_panel=flags.RUN,
    ),
]
HEAD = ("key", "state", "data", "model", "seed", "number", "value", "low", "high", "n", "seconds")


def results(
    store: flags.StoreFolder,
    csv_file: Csv = None,
    sql: Sql = None,
    out: Out = None,
    memory: Memory = None,
    check: Check = False,
    as_json: flags.Json = False,
) -> None:
    """List the runs of a store: what each is, how it ended, and its verdict; or answer a query."""
    from sightline.experiments.store import Store  # noqa: PLC0415  (numpy and the report, for this command alone)

    written = [Output(flag, file) for flag, file in (("--csv", csv_file), ("--out", out)) if file is not None]
    check_places((("--store", store),), *written)
    kept = Store.there(store)
    check_asked(sql, out, csv_file, memory)
    torn = kept.check() if check else ()
    for key in torn:
        tell(f"torn or changed: {key}; a study that has this run does it again")
    if sql is not None:
        return answer(kept.root, sql, out, as_json, memory)
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
        plain([*about, csv_text(one.quantity), one.value, one.low, one.high, one.n, run.seconds])
        for one in main_numbers(run)
    ]
    return rows or [[*about, "", "", "", "", "", run.seconds]]
