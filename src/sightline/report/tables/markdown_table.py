"""A results table in GitHub's Markdown."""

from __future__ import annotations

import re

from sightline.core.results import Table, TableCell
from sightline.report.sanitize import one_line
from sightline.report.tables.table_cells import (
    Script,
    figure,
    format_cells,
    heading,
    notes,
    reasons_of,
)


def to_markdown(table: Table) -> str:
    """Write the table in GitHub's Markdown, with all markup in cells escaped."""
    reasons = reasons_of(table)
    head, *rows = format_cells(table, _MARKDOWN, reasons)
    rule = [":---"] * len(table.row_axes) + ["---:"] * len(table.columns)
    lines = "\n".join(f"| {' | '.join(row)} |" for row in (head, rule, *rows))
    title = _markdown_word(heading(table))
    parts = [title and f"**{title}**", lines, *notes(table, _MARKDOWN, reasons)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _markdown_word(text: str) -> str:
    return _markdown_entities(re.sub(r"[\\`*_{}\[\]()#~|$!:@]", r"\\\g<0>", one_line(text)))


def _markdown_entities(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _markdown_figure(value: float, cell: TableCell) -> str:
    return _markdown_entities(figure(value, cell))


_MARKDOWN = Script(_markdown_word, _markdown_figure, lambda index: f" ({index})", "—")
