"""A results table as CSV in full precision, one line a cell."""

from __future__ import annotations

import csv
import io
import math

from sightline.core.results import Table, TableCell
from sightline.report.sanitize import visible
from sightline.report.tables.table_cells import reason_of

CSV_COLUMNS = ("column", "value", "low", "high", "n", "seeds", "runs", "note", "method")
"""The columns after the axes in a line of the CSV."""


def to_csv(table: Table) -> str:
    """Write one line a cell: the axes, then `CSV_COLUMNS`, by RFC 4180 (write it to a file as
    bytes).

    If the table has standard deviations, ``sd`` is a further column. Numbers are in full precision,
    so that reading them gives the same values, and an undefined one is empty; seeds and runs are
    separated by spaces. A text that a spreadsheet would take for a formula begins with a quotation
    mark. The notes of the table are left out: each cell that is missing or lacks seeds has its own
    note, and ``method`` says how an interval was made.
    """
    out = io.StringIO()
    writer = csv.writer(out)
    spread = any(cell.sd is not None for cells in table.rows for cell in cells)
    writer.writerow(
        [csv_text(name) for name in (*table.row_axes, *CSV_COLUMNS, *(["sd"] if spread else []))]
    )
    for names, cells in zip(table.row_names, table.rows, strict=True):
        for column, cell in zip(table.columns, cells, strict=True):
            sd = [_csv_value(cell.sd)] if spread else []
            writer.writerow([*map(csv_text, (*names, column)), *_csv_cells(cell), *sd])
    return out.getvalue()


def csv_text(text: str) -> str:
    """Disarm formulas of spreadsheets, which also ignore leading spaces and accept full-width
    signs.
    """
    shown = visible(text)
    return f"'{shown}" if _runs(shown) else shown


def guarded(text: str) -> str:
    r"""Disarm formulas of spreadsheets reversibly: removing one leading quotation mark from every
    text that has one restores it.

    Characters that hide or reorder text, or that control a terminal, become signs, as everywhere in
    a report. Parquet and JSON keep the text as it is.

    >>> [guarded(word) for word in ("=1+1", "'s", "film", "\x1b[2J")]
    ["'=1+1", "''s", 'film', '␛[2J']
    """
    shown = visible(text)
    return f"'{shown}" if shown.startswith("'") or _runs(shown) else shown


def _runs(text: str) -> bool:
    return text.lstrip()[:1] in tuple("=+-@＝＋－＠")


def _csv_cells(cell: TableCell) -> list[str]:
    numbers = [_csv_value(number) for number in (cell.value, cell.low, cell.high)]
    seeds, runs = " ".join(map(str, cell.seeds)), csv_text(" ".join(cell.runs))
    return [
        *numbers,
        "" if cell.n is None else str(cell.n),
        seeds,
        runs,
        csv_text(reason_of(cell)),
        csv_text(cell.method),
    ]


def _csv_value(value: float | str | None) -> str:
    if isinstance(value, str):
        return csv_text(value)
    # A numpy number writes its type into its repr.
    return "" if value is None or math.isnan(value) else repr(float(value))
