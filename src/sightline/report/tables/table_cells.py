"""The cells and the notes of a results table in any format."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sightline.core.results import Table, TableCell
from sightline.report.number_format import count, number, span
from sightline.report.sanitize import one_line
from sightline.verdict.catalogue import AUDIT_TESTS

Grid = list[list[str]]


@dataclass(frozen=True)
class Script:
    """How a format writes a user's words, a number with its interval, and the mark of a note."""

    word: Callable[[str], str]
    figure: Callable[[float, TableCell], str]
    mark: Callable[[int], str]
    missing: str


def format_cells(table: Table, script: Script, reasons: Sequence[str]) -> Grid:
    """Write every cell, below a row with the names of axes and columns."""
    rows = [
        [*map(script.word, names), *(_cell(cell, script, reasons) for cell in cells)]
        for names, cells in zip(table.row_names, table.rows, strict=True)
    ]
    return [[script.word(name) for name in (*table.row_axes, *table.columns)], *rows]


def _cell(cell: TableCell, script: Script, reasons: Sequence[str]) -> str:
    reason = reason_of(cell)
    mark = script.mark(reasons.index(reason) + 1) if reason else ""
    if cell.value is None or _missing(cell):
        return script.missing + mark
    body = (
        script.word(cell.value) if isinstance(cell.value, str) else script.figure(cell.value, cell)
    )
    return body + mark


def _missing(cell: TableCell) -> bool:
    return cell.value is None or (not isinstance(cell.value, str) and math.isnan(cell.value))


def reason_of(cell: TableCell) -> str:
    """Give the note of a cell; a missing cell always has one."""
    without = "no reason given" if cell.value is None else "undefined" if _missing(cell) else ""
    return cell.note or without


def reasons_of(table: Table) -> list[str]:
    """List the notes of the cells in reading order, each once."""
    return list(
        dict.fromkeys(reason for row in table.rows for cell in row if (reason := reason_of(cell)))
    )


def heading(table: Table) -> str:
    """Give the title, with a remark if the table is partial."""
    partial = table.partial and f"partial: {table.partial}"
    return f"{table.title} ({partial})" if table.title and partial else table.title or partial


def notes(table: Table, script: Script, reasons: Sequence[str]) -> list[str]:
    """Write the notes below the table: the tests whose codes are titles of columns, why cells are
    missing, by mark, then the table's own.
    """
    numbered = [
        f"{script.mark(index).strip()} {script.word(reason)}"
        for index, reason in enumerate(reasons, start=1)
    ]
    named = (f"{code}: {name}" for code, name in tests_of(table.columns).items())
    return [
        *map(script.word, named),
        *numbered,
        *(f"Note: {script.word(note)}" for note in table.notes),
    ]


def tests_of(columns: Sequence[str]) -> dict[str, str]:
    """Name the tests whose codes are titles of columns, or begin them.

    >>> tests_of(["verdict", "SL-303", "SL-303.reference"])
    {'SL-303': 'Transfer'}
    """
    codes = (column.partition(".")[0] for column in columns)
    return {code: AUDIT_TESTS[code].name for code in codes if code in AUDIT_TESTS}


def figure(value: float, cell: TableCell) -> str:
    """Write a number with its interval and n, if it has them."""
    parts = [number(value)] + (
        [] if cell.low is None or cell.high is None else [span(cell.low, cell.high)]
    )
    parts += [] if cell.sd is None else [f"± {number(cell.sd)}"]
    return one_line(" ".join(parts) + ("" if cell.n is None else f", n = {count(cell.n)}"))
