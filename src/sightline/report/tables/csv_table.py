"""CSV in full precision: rows of any kind, and a results table, one line a cell."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable
from typing import Any, TextIO

from sightline.core.results import Table, TableCell
from sightline.report.sanitize import visible
from sightline.report.tables.table_cells import reason_of

CSV_COLUMNS = ("column", "value", "low", "high", "n", "seeds", "runs", "note", "method")
"""The columns after the axes in a line of the CSV."""
_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?")
"""A text that a spreadsheet takes for a number, not for a formula."""


def write_rows(file: TextIO, rows: Iterable[Iterable[Any]]) -> None:
    """Write rows by RFC 4180 (to a file as bytes, or opened without a newline): texts `guarded`,
    numbers in full precision, undefined ones empty.
    """
    csv.writer(file).writerows(map(_cell, row) for row in rows)


def _cell(value: Any) -> Any:
    if isinstance(value, str):
        return guarded(value)
    return "" if value is None or value != value else value


def to_csv(table: Table) -> str:
    """Write one line a cell: the axes, then `CSV_COLUMNS`, by RFC 4180 (write it to a file as
    bytes).

    If the table has standard deviations, ``sd`` is a further column. Numbers are in full precision,
    so that reading them gives the same values, and an undefined one is empty; seeds and runs are
    separated by spaces. The notes of the table are left out: each cell that is missing or lacks
    seeds has its own note, and ``method`` says how an interval was made.
    """
    out = io.StringIO()
    spread = ["sd"] if any(cell.sd is not None for cells in table.rows for cell in cells) else []
    write_rows(out, [(*table.row_axes, *CSV_COLUMNS, *spread)])
    for names, cells in zip(table.row_names, table.rows, strict=True):
        for column, cell in zip(table.columns, cells, strict=True):
            sd = [_float(cell.sd)] if spread else []
            write_rows(out, [(*names, column, *_cells(cell), *sd)])
    return out.getvalue()


def guarded(text: str) -> str:
    r"""Disarm formulas of spreadsheets reversibly: removing one leading quotation mark from every
    text that has one restores it. A plain number is no formula.

    Characters that hide or reorder text, or that control a terminal, become signs, as everywhere in
    a report. Parquet and JSON keep the text as it is.

    >>> [guarded(word) for word in ("=1+1", "'s", "film", "-1", "\x1b[2J")]
    ["'=1+1", "''s", 'film', '-1', '␛[2J']
    """
    shown = visible(text)
    return f"'{shown}" if shown.startswith("'") or _runs(shown) else shown


def _runs(text: str) -> bool:
    """Whether a spreadsheet runs a text; it ignores leading spaces and accepts full-width signs."""
    return text.lstrip()[:1] in tuple("=+-@＝＋－＠") and not _NUMBER.fullmatch(text)


def _cells(cell: TableCell) -> list[float | str | None]:
    numbers = [_float(number) for number in (cell.value, cell.low, cell.high)]
    seeds, runs = " ".join(map(str, cell.seeds)), " ".join(cell.runs)
    return [*numbers, cell.n, seeds, runs, reason_of(cell), cell.method]


def _float(value: float | str | None) -> float | str | None:
    return value if value is None or isinstance(value, str) else float(value)
