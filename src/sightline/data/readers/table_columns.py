"""Parse rows: the text, label, split, rationale and query of each record, checked, with errors that
name the line.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sightline.config.specs import DataSpec
from sightline.config.user_tables import EVERY_ROW, columns_of_labels
from sightline.core.error_excerpts import list_values, show
from sightline.core.errors import DataError, SpecError, setting
from sightline.core.interning import Span
from sightline.data.dataset import read_set, written_set
from sightline.data.readers.csv_jsonl import ADD_HEADER, Record, Records

SPLIT_NAMES = {
    "train": "train",
    "training": "train",
    "dev": "validation",
    "val": "validation",
    "valid": "validation",
    "validation": "validation",
    "test": "test",
}
_NO_CHARACTER = re.compile("[\0\ud800-\udfff]")
_SPAN = re.compile(r"([0-9]+):([0-9]+)")


@dataclass(frozen=True)
class Columns:
    """The columns of a table; split, rationale, query, id and group are optional."""

    text: str
    label: str
    split: str | None
    rationale: str | None
    query: str | None = None
    id: str | None = None
    group: str | None = None
    labels_sep: str = ""
    """The separator of several labels; empty if a text has one label."""
    zero_one: tuple[str, ...] = ()
    """Columns of 0 and 1, one for each label, used instead of one column of labels."""

    def description(self) -> dict[str, str | None]:
        """Describe the columns for a card; ids and groups only if present."""
        return {
            name: column
            for name, column in asdict(self).items()
            if name != "zero_one" and (column or name not in ("id", "group", "labels_sep"))
        }


@dataclass(frozen=True, slots=True)
class RecordCells:
    """The content of one record before tokenising; ``split`` is empty if no column names it."""

    line: int
    text: str
    label: str
    split: str
    query: str | None
    spans: list[Span] | None
    """The rationale as character spans; None if not annotated."""
    trimmed: bool = False
    """Whether its label had blanks around it, which are left out."""


def find_columns(spec: DataSpec, rows: Records, named: str = "") -> Columns:
    """Find the columns that a spec names; a missing one is an error, unless it is optional and has
    its default name.

    ``named`` is the split of the whole table, if it was given.
    """
    _check_settings(spec)
    asked = {name: column for name in ("query", "id", "group") if (column := getattr(spec, name))}
    columns = {
        "text": spec.text,
        "label": spec.label,
        "split": spec.split,
        "rationale": spec.rationale,
    } | asked
    zero_one = _zero_one_columns(spec, rows)
    for name, column in columns.items():
        # A non-default name was requested explicitly, so its absence must be an error.
        usual = column == name if name != "split" else column in (name, EVERY_ROW)
        wanted = name not in ("split", "rationale") or not usual
        if wanted and not (name == "label" and zero_one):
            find_column(rows, name, column)
    optional = {
        name: columns[name] if columns[name] in rows.columns else None
        for name in ("split", "rationale")
    }
    if named and optional["split"]:
        message = (
            f"has a column {spec.split!r}, and all of it was named as {named}; leave the column "
            "out, or rename it"
        )
        raise DataError(message, rows.file, rows.header)
    return Columns(
        spec.text,
        spec.label,
        **optional,
        **asked,
        labels_sep=spec.labels_sep,
        zero_one=zero_one,
    )


def _zero_one_columns(spec: DataSpec, rows: Records) -> tuple[str, ...]:
    """Find the columns of 0 and 1 if several columns are named for the labels; empty if a single
    column has that name.
    """
    names = columns_of_labels(spec.label)
    if spec.label in rows.columns or not {*names}.intersection(rows.columns):
        return ()
    for name in names:
        find_column(rows, "label", name)
    if odd := next((one for one in names if one == spec.text or names.count(one) > 1), None):
        raise SpecError(
            f"expected a column of its own for each label, got {odd!r} twice, or as the texts",
            field="label",
        )
    if not spec.labels_sep:
        raise SpecError(
            f"names {len(names)} columns, and one is expected where a text has one label; add "
            f"{setting('labels_sep', ';')} to read 0 and 1 in them, for a model with +labelwise",
            field="label",
        )
    return names


def _check_settings(spec: DataSpec) -> None:
    """Refuse a column that is named for two different fields."""
    if spec.text == spec.label:
        raise SpecError(
            f"names {spec.label!r}, as {setting('text')} does; a text cannot be its own label",
            field="label",
        )
    if spec.query in (spec.text, spec.label):
        raise SpecError(
            f"names {spec.query!r}, which is the column of texts or of labels; name another",
            field="query",
        )
    for name in ("id", "group"):
        if (column := getattr(spec, name)) in (spec.text, spec.label):
            message = f"names {column!r}, which is the column of texts or of labels; name another"
            raise SpecError(message, field=name)


def find_column(rows: Records, what: str, column: str) -> str:
    """Find a required column; ``what`` is the setting that names it."""
    if column not in rows.columns:
        raise DataError(_missing(what, column, rows), rows.file, rows.header)
    return column


def _missing(what: str, column: str, rows: Records) -> str:
    columns = rows.columns
    there = list_values("column", columns)  # a table without a header has a text in their place
    advice = f"name the right column with {setting(what)}"
    if len(columns) == 1 and re.search(r"[;\t,|]", columns[0]):
        advice += ", or separate the fields with commas (csv:FILE) or tabs (tsv:FILE)"
    if rows.line_as_header:
        advice += f"; {ADD_HEADER}"
    return f"there is no column {column!r} to read as {what!r}; the table has {there}; {advice}"


def read_records(file: str, records: Sequence[Record], columns: Columns) -> list[RecordCells]:
    """Parse the records of a table."""
    if not columns.labels_sep:
        _check_labelled(file, records, columns.label)
    for column in columns.zero_one:
        _check_zero_one(file, records, column)
    return [_cells(file, row, columns) for row in records]


def _check_labelled(file: str, records: Sequence[Record], column: str) -> None:
    """Refuse rows without a label; they are counted, so that all can be mended at once."""
    blank = [row for row in records if _is_blank(row.cells.get(column))]
    if blank:
        raise _no_label(
            file, blank[0], column, f"; {len(blank):,} of {len(records):,} rows have none"
        )


def _is_blank(cell: object) -> bool:
    """Tell whether a cell has no value: it is blank, or missing as pandas has it."""
    if isinstance(cell, str):
        return not cell.strip()
    return cell is None or (isinstance(cell, float) and math.isnan(cell))


def _has_blanks_around(cell: object) -> bool:
    return isinstance(cell, str) and cell != cell.strip()


def _no_label(file: str, row: Record, column: str, more: str = "") -> DataError:
    label = row.cells.get(column)
    found = "an empty one" if isinstance(label, str) else show(label)
    return DataError(
        f"expected a label in {column!r} (a name, a whole number, true or false), got {found}{more}; "
        "write a label or remove the row; where a text may have several labels or none, "
        f"{setting('labels_sep', ';')} reads them, for a model with +labelwise",
        file,
        row.line,
    )


def _cells(file: str, row: Record, columns: Columns) -> RecordCells:
    """Parse one record."""
    text = read_text(file, row, columns.text)
    return RecordCells(
        row.line,
        text,
        _labels(file, row, columns) if columns.labels_sep else _label(file, row, columns.label),
        "" if columns.split is None else _split(file, row, columns.split),
        None if columns.query is None else read_text(file, row, columns.query),
        None if columns.rationale is None else _spans(file, row, columns.rationale, len(text)),
        not columns.labels_sep and _has_blanks_around(row.cells.get(columns.label)),
    )


def read_text(file: str, row: Record, column: str) -> str:
    """Read a text of valid characters."""
    text = row.cells.get(column)
    if not isinstance(text, str):
        raise DataError(f"expected a text in {column!r}, got {show(text)}", file, row.line)
    if bad := not_a_character(text):
        raise DataError(
            f"the text in {column!r} holds {bad}, which is no character; remove it", file, row.line
        )
    return text


ZERO_ONE = {"0": False, "false": False, "0.0": False, "1": True, "true": True, "1.0": True}


def _zero_or_one(row: Record, column: str) -> bool | None:
    """Read a cell that says 0 or 1; None for any other."""
    return ZERO_ONE.get(str(row.cells.get(column)).strip().lower())


def _check_zero_one(file: str, records: Sequence[Record], column: str) -> None:
    """Refuse cells that are neither 0 nor 1; they are counted, so that all can be mended at once."""
    odd = [row for row in records if _zero_or_one(row, column) is None]
    if odd:
        blank = sum(_is_blank(row.cells.get(column)) for row in odd)
        empty = f", {blank:,} of these nothing" if blank else ""
        raise DataError(
            f"expected 0 or 1 in {column!r}, a column of one label, got "
            f"{show(odd[0].cells.get(column))}; {len(odd):,} of {len(records):,} rows have neither"
            f"{empty}; write 1 where the text has the label and 0 where not",
            file,
            odd[0].line,
        )


def holds_one_label(records: Iterable[Record], columns: Columns) -> bool:
    """Tell whether every cell says 0 or 1, where labels are expected: the column is then a label of
    its own.
    """
    return bool(columns.labels_sep and not columns.zero_one) and all(
        _zero_or_one(row, columns.label) is not None for row in records
    )


def as_one_label(written: str, column: str) -> str:
    """Read the label of a text, which is 0 or 1, as whether the text has the label of its column.

    >>> as_one_label('["1"]', "sepsis"), as_one_label('["0"]', "sepsis")
    ('["sepsis"]', '[]')
    """
    return written_set({column} if ZERO_ONE[read_set(written)[0].lower()] else ())


def _labels(file: str, row: Record, columns: Columns) -> str:
    """Read the labels of a text: separated names, or a list; it may be empty."""
    if columns.zero_one:
        return sys.intern(written_set([one for one in columns.zero_one if _zero_or_one(row, one)]))
    cell = row.cells.get(columns.label)
    if isinstance(cell, list | tuple | set | frozenset):
        named = [_written(one) for one in cell]
        odd = any(not isinstance(one, str) or not one.strip() for one in named)
    else:
        cell = _written(cell)
        odd = not isinstance(cell, str)
        named = [] if odd else [one for one in cell.split(columns.labels_sep) if one.strip()]
    if odd:
        raise DataError(
            f"expected labels in {columns.label!r} (names with {columns.labels_sep!r} between "
            f"them, or a list of names), got {show(cell)}; write [] or nothing for a text without "
            "a label",
            file,
            row.line,
        )
    if isinstance(cell, list | tuple) and len({*named}) < len(named) and set(named) <= {"0", "1"}:
        raise DataError(
            f"expected the names of labels in {columns.label!r}, got zeros and ones: {show(cell)}; "
            "write the names of the labels that are 1",
            file,
            row.line,
        )
    if bad := next((one for one in named if not_a_character(one)), None):
        raise DataError(
            f"a label in {columns.label!r} holds what is no character: {show(bad)}", file, row.line
        )
    return sys.intern(written_set({one.strip() for one in named}))


def _written(label: Any) -> Any:
    """Write a label as in a table: 0 and True become ``0`` and ``true``, and 1.0 becomes ``1``."""
    if isinstance(label, bool):
        return str(label).lower()
    if isinstance(label, float) and label.is_integer():
        return str(int(label))  # whole numbers with a missing value among them, as pandas has them
    return str(label) if isinstance(label, int) else label


def _label(file: str, row: Record, column: str) -> str:
    label = _written(row.cells.get(column))
    if isinstance(label, list):
        raise DataError(
            f"expected one label in {column!r}, got a list of {len(label)}; "
            f"{setting('labels_sep', ';')} reads several for each text, for a model with several "
            "labels",
            file,
            row.line,
        )
    if not isinstance(label, str):
        raise _no_label(file, row, column)
    if not_a_character(label):
        raise DataError(
            f"the label in {column!r} holds what is no character: {show(label)}", file, row.line
        )
    return sys.intern(label.strip())  # a table has many labels, but few distinct ones


def read_ids(file: str, records: Iterable[Record], column: str) -> list[str]:
    """Read the id of each text; one that two records have is refused."""
    first: dict[str, int] = {}
    for row in records:
        name = _id(file, row, column)
        if name in first:
            raise DataError(
                f"the id {show(name)} is at {file}:{first[name]}, too; give each text one of its "
                "own",
                file,
                row.line,
            )
        first[name] = row.line
    return list(first)


def _id(file: str, row: Record, column: str) -> str:
    """Read the id of a text: a text or a whole number."""
    found = _named(file, row, column)
    if not found:
        message = (
            f"expected an id in {column!r} (a text or a whole number), got "
            f"{show(row.cells.get(column))}"
        )
        raise DataError(f"{message}; give each text one", file, row.line)
    return found


def read_group(file: str, row: Record, column: str) -> str:
    """Read the group of a text; empty if it has none."""
    return sys.intern(_named(file, row, column))


def _named(file: str, row: Record, column: str) -> str:
    cell = row.cells.get(column)
    if _is_blank(cell):
        return ""
    if isinstance(cell, float):  # a whole number, where another row has none
        cell = _written(cell)
    if type(cell) not in (str, int):
        raise DataError(
            f"expected a text or a whole number in {column!r}, got {show(cell)}", file, row.line
        )
    if not_a_character(name := str(cell).strip()):
        raise DataError(f"{column!r} holds what is no character: {show(name)}", file, row.line)
    return name


def _split(file: str, row: Record, column: str) -> str:
    cell = row.cells.get(column)
    name = SPLIT_NAMES.get(cell.strip().lower()) if isinstance(cell, str) else None
    if name is None:
        raise DataError(
            f"expected train, validation (or dev, val, valid) or test in {column!r}, got "
            f"{show(cell)}; rename the column if it holds something else",
            file,
            row.line,
        )
    return name


def _spans(file: str, row: Record, column: str, length: int) -> list[Span] | None:
    """Read character spans: ``[[0, 4], [10, 15]]`` in JSON, ``0:4 10:15`` elsewhere; a blank cell
    means not annotated.
    """
    cell = row.cells.get(column)
    if _is_blank(cell):
        return None
    pairs = _written_pairs(cell) if isinstance(cell, str) else cell
    if not isinstance(pairs, list) or not all(_is_span(pair, length) for pair in pairs):
        raise DataError(
            f"expected character spans START:END in {column!r} ([[START, END], …] in JSON) "
            f"within the {length} characters of the text, got {show(cell)}; rename the column "
            "if it holds something else",
            file,
            row.line,
        )
    return [(start, end) for start, end in pairs]


def not_a_character(text: str) -> str | None:
    """Show the first code unit in a text that JSON can write but a text cannot hold: a NUL, or an
    unpaired surrogate.
    """
    found = _NO_CHARACTER.search(text)
    return None if found is None else ascii(found[0])


def _written_pairs(cell: str) -> list[list[int]] | None:
    found = [_SPAN.fullmatch(piece) for piece in cell.split()]
    return (
        [[int(number[:18]) for number in match.groups()] for match in found if match]
        if all(found)
        else None
    )


def _is_span(pair: Any, length: int) -> bool:
    whole = (
        isinstance(pair, list) and len(pair) == 2 and all(type(number) is int for number in pair)
    )
    return whole and 0 <= pair[0] < pair[1] <= length
