"""A results table for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from sightline.core.results import Table
from sightline.report.column_layout import aligned, blocks_of, column_widths
from sightline.report.sanitize import one_line
from sightline.report.tables.table_cells import (
    Grid,
    Script,
    figure,
    format_cells,
    heading,
    notes,
    reasons_of,
)

_NARROWEST_NOTE = 20


def to_text(table: Table, width: int | None = None) -> str:
    """Write the table for a terminal, with aligned columns.

    Control characters become visible signs. Columns that do not fit into ``width`` continue below,
    with the names of the rows. A number is never cut, so a single column may be wider.
    """
    reasons = reasons_of(table)
    grid = format_cells(table, _TERMINAL, reasons)
    blocks = blocks_of(column_widths(grid), len(table.row_axes), width)
    text = "\n".join(_wrapped(note, width) for note in notes(table, _TERMINAL, reasons))
    parts = [one_line(heading(table)), *("\n".join(_block(grid, block)) for block in blocks), text]
    return "\n\n".join(part for part in parts if part)


def _block(grid: Grid, block: Sequence[int]) -> list[str]:
    """Align some columns of the table, with an underlined head."""
    head, *rows = ([row[index] for index in block] for row in grid)
    rule = ["-" * width for width in column_widths([head, *rows])]
    return aligned([head, rule, *rows])


def _wrapped(note: str, width: int | None) -> str:
    if width is None:
        return note
    return textwrap.fill(
        note, max(width, _NARROWEST_NOTE), break_long_words=False, break_on_hyphens=False
    )


_TERMINAL = Script(one_line, figure, lambda index: f" ({index})", "—")
