"""A results table in full, one line a cell, for spreadsheets and programs."""

from __future__ import annotations

import csv
import io

from sightline.core.results import Table, TableCell
from sightline.report.sanitize import visible
from sightline.report.tables.table_cells import reason_of

CSV_COLUMNS = ("column", "value", "low", "high", "n", "seeds", "runs", "note", "method")
"""What follows the axes in a line of the CSV."""


def to_csv(table: Table) -> str:
    """Write one line a cell: the axes, then `CSV_COLUMNS`, as RFC 4180 has it (write it to a file
    as bytes).

    Where the table has standard deviations, ``sd`` is one more column.

    Numbers are in full, so that reading them gives the same ones again; seeds and runs are set
    apart by spaces. A text that a spreadsheet would take for a formula begins with a quotation
    mark. The notes of the table are not in it: a cell that is missing, or rests on some of its
    seeds only, has its own, and ``method`` says how an interval was made.
    """
    out = io.StringIO()
    writer = csv.writer(out)
    spread = any(cell.sd is not None for cells in table.rows for cell in cells)
    writer.writerow(
        [csv_text(name) for name in (*table.row_axes, *CSV_COLUMNS, *(["sd"] if spread else []))]
    )
    for names, cells in zip(table.row_names, table.rows, strict=True):
        for column, cell in zip(table.columns, cells, strict=True):
            beside = [_csv_value(cell.sd)] if spread else []
            writer.writerow([*map(csv_text, (*names, column)), *_csv_cells(cell), *beside])
    return out.getvalue()


def csv_text(text: str) -> str:
    """Disarm what a spreadsheet would run: it looks past leading spaces, and takes the wide signs
    too.
    """
    shown = visible(text)
    return f"'{shown}" if _runs(shown) else shown


def guarded(text: str) -> str:
    r"""Disarm what a spreadsheet would run, so that it can be undone: every text loses one leading
    quotation mark.

    Characters that hide or reorder text, or that a terminal obeys, become signs, as in everything
    that people look at. Parquet and JSON keep the text as it is.

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
    return "" if value is None else repr(float(value))
