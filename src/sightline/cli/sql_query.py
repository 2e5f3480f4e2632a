"""``sightline results --sql``: one query on a store, with its answer on the terminal or in
a file.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import IO

from sightline._io.atomic_write import write_whole
from sightline.cli.output import emit, print_lines, writing
from sightline.core.errors import SpecError
from sightline.report.number_format import count_phrase

_IN_MEMORY = 2**24
"""Bytes of an answer that wait in memory until it is complete; a larger answer waits in a temporary
file."""


def check_asked(
    sql: str | None, out: Path | None, csv_file: Path | None, memory: int | None
) -> None:
    """Before reading anything, refuse an answer that cannot be computed or written, and flags that
    need a query.
    """
    if sql is None:
        if out is not None:
            message = (
                "is where the answer of --sql goes; name a query, or take --csv for all numbers"
            )
            raise SpecError(message, field="out")
        if memory is not None:
            raise SpecError("limits a query; name one with --sql", field="memory")
        return
    if csv_file is not None:
        raise SpecError(
            "lists every run, and --sql answers a query; take --out for its answer",
            field="csv_file",
        )
    from sightline.api.store_runs import check_answer, check_sql  # noqa: PLC0415  (numpy, for a question alone)

    if out is not None:
        check_answer(out)
    check_sql()


def answer(store: Path, query: str, out: Path | None, as_json: bool, memory: int | None) -> None:
    """Run the query; print the answer, or write it to a file and name the file."""
    from sightline.api.store_runs import ask_apart, usual_memory  # noqa: PLC0415  (numpy, for a question alone)

    allowed = memory or usual_memory()
    if out is None:
        ask_apart(store, query, "json" if as_json else "lines", allowed, sys.stdout.write)
        print()
        return None
    with (
        writing(out),
        SpooledTemporaryFile(_IN_MEMORY) as whole,
    ):  # a failed query creates no folder
        rows = ask_apart(store, query, out.suffix.lower(), allowed, whole.write, out)
        whole.seek(0)
        write_whole(out, lambda aside: _copy(whole, aside))
    summary = {"out": str(out), "rows": rows}
    return (
        emit(summary) if as_json else print_lines([f"answer: {out} ({count_phrase(rows, 'row')})"])
    )


def _copy(whole: IO[bytes], aside: Path) -> None:
    with aside.open("wb") as file:
        shutil.copyfileobj(whole, file)
