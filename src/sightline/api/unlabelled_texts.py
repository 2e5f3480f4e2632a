"""Read texts without labels, single or from a table, and cut them into words as data with labels
are.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

from sightline.config.user_tables import Table
from sightline.core.error_excerpts import show
from sightline.core.errors import DataError, setting
from sightline.core.example import Example
from sightline.core.tokeniser import tokenise
from sightline.core.whole_numbers import whole
from sightline.data.assembly.split_tables import read_sheet
from sightline.data.readers.table_columns import find_column, not_a_character, read_ids

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
    asked = None if query is None else _words("query", query, file, line)
    name = str(place) if file is None else f"{file}:{place}"
    read = Example(name, place, text, tokens, None, NO_LABEL, asked, query_text=query)
    return _cut(read, max_tokens)


def _cut(read: Example, max_tokens: int) -> Example:
    """Keep the first words of a text and of its query, and count the others."""
    most = whole(max_tokens, "max_tokens", 1)
    beyond = sum(max(0, len(words) - most) for words in (read.tokens, read.query or ()))
    return replace(
        read, tokens=read.tokens[:most], query=read.query and read.query[:most], cut=beyond
    )


class TextColumns(NamedTuple):
    """The columns of a table without labels; query and id are empty where there are none."""

    text: str
    query: str = ""
    id: str = ""


class UnlabelledTable(NamedTuple):
    """The texts of a table, and how many of its rows have none."""

    examples: list[Example]
    blank: int
    wordless: int
    """Rows whose text has no words in it."""


def in_table(file: str, kind: str, columns: TextColumns, max_tokens: int) -> UnlabelledTable:
    """Read the texts of a table, which needs no labels. Rows without words are left out, as in an
    audit.

    The index of a text is its line; its id comes from its column, or names file and line.
    """
    rows = read_sheet(Table(kind, file), {*columns} - {""}, "texts")
    for what, name in columns._asdict().items():
        if name:
            find_column(rows, what, name)
    ids = (
        read_ids(file, rows.records, columns.id)
        if columns.id
        else [f"{file}:{row.line}" for row in rows.records]
    )
    found = list[Example]()
    for row, name in zip(rows.records, ids, strict=True):
        text: Any = row.cells.get(columns.text)  # `_tokens` checks that it is one
        if not (tokens := _tokens("text", text, file, row.line)):
            continue
        query = row.cells.get(columns.query) if columns.query else None
        # A row without a query is no single text, and an error as in an audit.
        asked = _words("query", query, file, row.line) if columns.query else None
        about = (name, row.line, text, tokens, None, NO_LABEL, asked)
        found.append(_cut(Example(*about, query_text=query), max_tokens))
    if rows.records and not found:
        raise DataError(
            f"expected words in {columns.text!r}, got none in any of {len(rows.records):,} rows; "
            f"name the right column with {setting('text')}",
            file,
        )
    return UnlabelledTable(found, rows.blank, len(rows.records) - len(found))


def _words(what: str, text: object, file: str | None, line: int | None) -> tuple[str, ...]:
    """Read the words of a text or a query; one without any is an error."""
    if not (words := _tokens(what, text, file, line)):
        change = "write one word or more" if file is None else "leave it out"
        raise DataError(
            f"expected a {what} with words in it, got {show(text)}; {change}", file, line
        )
    return words


def _tokens(what: str, text: object, file: str | None, line: int | None) -> tuple[str, ...]:
    """Cut a text or a query into words, of which there may be none."""
    if not isinstance(text, str):
        raise DataError(f"expected a {what}, got {show(text)}", file, line)
    if bad := not_a_character(text):
        raise DataError(f"the {what} holds {bad}, which is no character; remove it", file, line)
    return tokenise(text)[0]
