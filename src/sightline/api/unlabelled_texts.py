"""Read texts without labels, single or from a table, and cut them into words as data with labels
are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sightline.config.user_tables import Table
from sightline.core.error_excerpts import show
from sightline.core.errors import DataError
from sightline.core.example import Example
from sightline.core.tokeniser import tokenise
from sightline.data.assembly.split_tables import read_sheet
from sightline.data.readers.csv_jsonl import Record
from sightline.data.readers.table_columns import find_column, not_a_character

NO_LABEL = 0
"""Used instead of a label; nothing here reads it."""


def unlabelled(
    text: str, query: str | None, max_tokens: int, place: int = 0, file: str | None = None
) -> Example:
    """Read one text, and its query if it has one; an unreadable text is an error that says where.

    ``place`` is its index: its line in a file, or its place among the texts that ``file`` names.
    """
    line = None if file is None else place
    tokens = _words("text", text, file, line)
    asked = None if query is None else _words("query", query, file, line)[:max_tokens]
    name = str(place) if file is None else f"{file}:{place}"
    return Example(name, place, text, tokens[:max_tokens], None, NO_LABEL, asked)


def in_table(
    file: str, kind: str, text: str, query: str, max_tokens: int
) -> tuple[list[Example], int]:
    """Read the texts of a table, which needs no labels, and count its empty rows; ``query`` is a
    column, or empty.

    The index of a text is its line.
    """
    rows = read_sheet(Table(kind, file), {text, query} - {""}, "texts")
    columns = [
        find_column(rows, setting, name)
        for setting, name in (("text", text), ("query", query))
        if name
    ]
    found = [unlabelled(*_cells(row, columns), max_tokens, row.line, file) for row in rows.records]
    return found, rows.blank


def _cells(row: Record, columns: Sequence[str]) -> tuple[Any, Any]:
    """Return the text of a record, and its query if there is one."""
    found = [row.cells.get(column) for column in columns]
    return (found[0], found[1] if len(found) > 1 else None)


def _words(what: str, text: object, file: str | None, line: int | None) -> tuple[str, ...]:
    if not isinstance(text, str):
        raise DataError(f"expected a {what}, got {show(text)}", file, line)
    if bad := not_a_character(text):
        raise DataError(f"the {what} holds {bad}, which is no character; remove it", file, line)
    if not (words := tokenise(text)[0]):
        change = "write one word or more" if file is None else "leave it out"
        raise DataError(
            f"expected a {what} with words in it, got {show(text)}; {change}", file, line
        )
    return words
