"""Rows to entries: the text, label, split and evidence of one record, each checked and named by line where wrong."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from sightline.data.sources.rows import Row, Sheet
from sightline.data.tokeniser import tokenise
from sightline.errors import DataError, SpecError
from sightline.spec.values import DataSpec

_SPLIT_NAMES = {
    "train": "train",
    "training": "train",
    "dev": "validation",
    "val": "validation",
    "valid": "validation",
    "validation": "validation",
    "test": "test",
}
_SPAN = re.compile(r"([0-9]+):([0-9]+)")
Span = tuple[int, int]


@dataclass(frozen=True)
class Columns:
    """The columns a table offers; a split, evidence and a query are optional."""

    text: str
    label: str
    split: str | None
    rationale: str | None
    query: str | None = None


@dataclass(frozen=True)
class Entry:
    """One record as it was understood; ``truncated`` says that its text, or its query, was longer than allowed."""

    line: int
    text: str
    tokens: tuple[str, ...]
    offsets: tuple[Span, ...]
    label: str
    split: str | None
    rationale: tuple[bool, ...] | None
    truncated: bool
    query: tuple[str, ...] | None = None

    @property
    def words(self) -> tuple[tuple[str, ...], tuple[str, ...] | None]:
        """What makes two records copies of each other: the words of the text, and those of the query."""
        return self.tokens, self.query


def find_columns(spec: DataSpec, sheet: Sheet) -> Columns:
    """Find the columns a spec names; a missing one is an error, unless it is optional and was not asked for by name."""
    if spec.text == spec.label:
        raise SpecError(f"--text and --label both name {spec.text!r}; a text cannot be its own label")
    if spec.query in (spec.text, spec.label):
        raise SpecError(f"--query names {spec.query!r}, which is the column of texts or of labels; name another")
    named = {"text": spec.text, "label": spec.label, "split": spec.split, "rationale": spec.rationale}
    named |= {"query": spec.query} if spec.query else {}
    for flag, column in named.items():
        # A name that differs from the default was asked for, and its absence must not pass for "there is none".
        wanted = flag in ("text", "label", "query") or column != flag
        if wanted and column not in sheet.columns:
            raise DataError(_missing(flag, column, sheet.columns), sheet.file, 1)
    optional = {flag: named[flag] if named[flag] in sheet.columns else None for flag in ("split", "rationale")}
    return Columns(spec.text, spec.label, **optional, query=spec.query or None)


def _missing(flag: str, column: str, columns: tuple[str, ...]) -> str:
    there = ", ".join(map(repr, columns))
    advice = f"name the right one with --{flag}"
    if len(columns) == 1 and re.search(r"[;\t,|]", columns[0]):
        advice += ", or separate the fields with commas (csv:FILE) or tabs (tsv:FILE)"
    return f"there is no column {column!r} for --{flag}; there are {there}; {advice}"


def read_entry(file: str, row: Row, columns: Columns, max_tokens: int) -> Entry:
    """Understand one record; words beyond ``max_tokens`` are left out of text and query, with their evidence."""
    text = _text(file, row, columns.text)
    label = _label(file, row, columns.label)
    split = None if columns.split is None else _split(file, row, columns.split)
    tokens, offsets = tokenise(text)
    query = None if columns.query is None else tokenise(_text(file, row, columns.query))[0]
    spans = None if columns.rationale is None else _spans(file, row, columns.rationale, len(text))
    kept = offsets[:max_tokens]
    rationale = None if spans is None else tuple(_touched(offset, spans) for offset in kept)
    cut = max(len(tokens), len(query or ())) > max_tokens
    return Entry(row.line, text, tokens[:max_tokens], kept, label, split, rationale, cut, query and query[:max_tokens])


def _text(file: str, row: Row, column: str) -> str:
    text = row.cells.get(column)
    if not isinstance(text, str):
        raise DataError(f"expected a text in {column!r}, got {_show(text)}", file, row.line)
    # JSON can write what UTF-8 cannot hold: a NUL, or half of a surrogate pair.
    if bad := re.search("[\0\ud800-\udfff]", text):
        raise DataError(f"the text in {column!r} holds {bad[0]!a}, which is no character; remove it", file, row.line)
    return text


def _label(file: str, row: Row, column: str) -> str:
    label = row.cells.get(column)
    if isinstance(label, bool):
        label = str(label).lower()
    elif isinstance(label, int):
        label = str(label)
    if not isinstance(label, str) or not label.strip():
        found = "an empty one" if isinstance(label, str) else _show(label)
        raise DataError(
            f"expected a label in {column!r} (a name, a whole number, true or false), got {found}; "
            "write a label or remove the row",
            file,
            row.line,
        )
    if re.search("[\0\ud800-\udfff]", label):
        raise DataError(f"the label in {column!r} holds what is no character: {label!a}", file, row.line)
    return label.strip()


def _split(file: str, row: Row, column: str) -> str:
    cell = row.cells.get(column)
    name = _SPLIT_NAMES.get(cell.strip().lower()) if isinstance(cell, str) else None
    if name is None:
        raise DataError(
            f"expected train, validation (or dev, val, valid) or test in {column!r}, got {_show(cell)}; "
            "rename the column if it holds something else",
            file,
            row.line,
        )
    return name


def _spans(file: str, row: Row, column: str, length: int) -> list[Span] | None:
    """Read character spans: ``[[0, 4], [10, 15]]`` in JSON, ``0:4 10:15`` elsewhere; nothing means not annotated."""
    cell = row.cells.get(column)
    if cell is None or cell == "":
        return None
    pairs = _written_pairs(cell) if isinstance(cell, str) else cell
    if not isinstance(pairs, list) or not all(_is_span(pair, length) for pair in pairs):
        raise DataError(
            f"expected character spans START:END in {column!r} ([[START, END], …] in JSON) within the "
            f"{length} characters of the text, got {_show(cell)}; rename the column if it holds something else",
            file,
            row.line,
        )
    return [(start, end) for start, end in pairs]


def _written_pairs(cell: str) -> list[list[int]] | None:
    found = [_SPAN.fullmatch(piece) for piece in cell.split()]
    return [[int(number[:18]) for number in match.groups()] for match in found if match] if all(found) else None


def _is_span(pair: Any, length: int) -> bool:
    whole = isinstance(pair, list) and len(pair) == 2 and all(type(number) is int for number in pair)
    return whole and 0 <= pair[0] < pair[1] <= length


def _touched(offset: Span, spans: list[Span]) -> bool:
    return any(offset[0] < end and start < offset[1] for start, end in spans)


def _show(value: object) -> str:
    shown = "nothing" if value is None else repr(value)
    return shown if len(shown) <= 60 else shown[:60] + "…"
