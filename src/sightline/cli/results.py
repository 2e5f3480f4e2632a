"""``sightline results``: the runs of a store as a list, a file for other tools, or the answer to a
query.
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sightline.cli import flags
from sightline.cli.exit_codes import UNFINISHED
from sightline.cli.output import emit, note_left_out, print_lines, print_message, write_text
from sightline.cli.output_checks import Output, check_places
from sightline.cli.own_files import RUNS
from sightline.cli.sql_query import answer, check_asked
from sightline.report.column_layout import aligned
from sightline.report.number_format import count_phrase

if TYPE_CHECKING:
    from sightline.api.store_runs import Store

Csv = Annotated[
    Path | None,
    typer.Option(
        "--csv",
        metavar="FILE",
        show_default="not written",
        help="Write one line a run and number, in full.",
    ),
]
Check = Annotated[
    bool,
    typer.Option(
        "--check",
        metavar=flags.SWITCH,
        help="Read every byte of every run first, and name the torn or changed ones; exits with 4 "
        "if there are any.",
    ),
]
Sql = Annotated[
    str | None,
    typer.Option(
        "--sql",
        metavar="QUERY",
        show_default="none",
        help=(
            "Answer a query, with tables runs, findings, numbers, estimates and texts; "
            f"{flags.needs('duckdb')}."
        ),
    ),
]
Out = Annotated[
    Path | None,
    flags.output_flag(
        "--out",
        metavar="FILE",
        show_default="printed",
        help="Write the answer of --sql in full: .csv, .json or .parquet.",
    ),
]
Memory = Annotated[
    int | None,
    flags.run_flag(
        "--memory",
        metavar="SIZE",
        parser=flags.read_memory,
        show_default="half of what is free, at least 256M",
        help="The memory that --sql may take for its query and its answer, such as 512M or 4G.",
    ),
]


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
    from sightline.api.store_runs import open_store  # noqa: PLC0415  (numpy and the report)

    written = [
        Output(flag, file, like=like)
        for flag, file, like in (("--csv", csv_file, RUNS), ("--out", out, b""))
        if file is not None
    ]
    check_places((("--store", store),), *written)
    kept = open_store(store)
    check_asked(sql, out, csv_file, memory)
    torn = kept.check() if check else ()
    for key in torn:
        print_message(f"torn or changed: {key}; a study that has this run makes it again")
    if sql is not None:
        return answer(kept.root, sql, out, as_json, memory)
    _show_runs(kept, csv_file, whole=check, as_json=as_json)
    if torn:
        raise typer.Exit(UNFINISHED)
    return None


def _show_runs(kept: Store, csv_file: Path | None, *, whole: bool, as_json: bool) -> None:
    """List the runs of a store, only whole ones where every byte was read; write their numbers to a
    file if asked.
    """
    from sightline.api.store_runs import missing_run, runs_as_csv  # noqa: PLC0415  (numpy and the report)

    runs, lost = kept.listed(whole=whole)
    note_left_out(lost, named=whole)
    if csv_file is not None:
        write_text(csv_file, runs_as_csv(runs))
    if as_json:
        return emit([asdict(run) for run in (*runs, *map(missing_run, lost))])
    if csv_file is not None:
        print_message(f"numbers: {csv_file}")
    behind = ("setting", "seed") if any(run.setting for run in runs) else ("seed",)
    columns = ("key", "state", "data", "model", *behind)
    lines = [[str(getattr(run, name)) for name in columns] for run in runs]
    ends = [run.verdict or run.error for run in runs]
    table = [(*columns, "verdict"), *((*line, end) for line, end in zip(lines, ends, strict=True))]
    return print_lines([*aligned(table), count_phrase(len(runs), "run")])
