"""Read rows from delimited text and JSON lines, plain or gzipped; every error names file and line."""

from __future__ import annotations

import csv
import json
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from typing import Any

from sightline._io.limits import FILE, ROWS
from sightline.config.json_reader import unrepeated
from sightline.core.error_excerpts import show
from sightline.core.errors import DataError
from sightline.data.readers.archives import File
from sightline.data.readers.line_stream import decoded_lines, read_digest

Kind = str
LABELLED = "texts and labels"
"""The default content of a table, for messages."""
_DELIMITERS = {"csv": ",", "tsv": "\t"}
_WITHOUT_COMMA = ";\t"
"""What separates the columns of a .csv file whose header has no comma: spreadsheets write a
semicolon where the comma is in numbers."""
ADD_HEADER = "this line is read as the header: add one if the table has none"
_CLOSE_QUOTES = 'a text with quotes is written "like ""this""", each opened quote closed'


@dataclass(frozen=True, slots=True)
class Record:
    """One record: its first line number, and its cells by column."""

    line: int
    cells: Mapping[str, Any]


@dataclass(frozen=True)
class Records:
    """The records of a file, their columns, and the number of empty rows.

    ``header`` is the line number of the header, if there is one; ``line_as_header`` says that it
    may be a row: a line is read as the header, whatever it holds.
    """

    file: str
    columns: tuple[str, ...]
    records: tuple[Record, ...]
    blank: int
    header: int | None = 1
    line_as_header: bool = False


def read_rows(file: str, kind: Kind, holds: str = LABELLED, share: float = 1.0) -> Records:
    """Read a table; gives at least one record, or raises a `DataError` that names file and line.

    With a ``share`` below 1, a fixed random sample of the rows is kept.
    """
    if kind == "jsonl":
        rows = _json_lines(file, decoded_lines(file, "\n"), share)
    else:
        lines, delimiter = _with_delimiter(decoded_lines(file, ""), kind)
        rows = _delimited(file, lines, delimiter, share)
    if not rows.records:
        found = "a header and no rows" if rows.columns else "an empty file"
        raise DataError(f"expected a table of {holds}, got {found}", file)
    return rows


def table_digest(file: str) -> str:
    """Give the SHA-256 of a file, which identifies its table."""
    return read_digest(file, FILE)


@contextmanager
def long_fields(most: int = 2**31 - 1) -> Iterator[None]:
    """Allow long CSV fields inside this context: the limit is global to the process, so it is
    restored.
    """
    before = csv.field_size_limit()
    csv.field_size_limit(
        most
    )  # files are usually bounded elsewhere; the limit is a C long, 32 bits on some systems
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _with_delimiter(lines: Iterator[str], kind: Kind) -> tuple[Iterable[str], str]:
    """Find out what separates the columns of a table, by its first line that is not blank."""
    usual, blank = _DELIMITERS[kind], list[str]()
    for header in lines:
        if header.strip():
            break
        blank.append(header)
    else:
        header = ""
    others = (one for one in _WITHOUT_COMMA if one in header)
    found = usual if kind != "csv" or usual in header else next(others, usual)
    return chain(blank, [header], lines), found


def _delimited(file: str, lines: Iterable[str], delimiter: str, share: float) -> Records:
    columns: tuple[str, ...] = ()
    blank, rows, most, wanted = 0, list[Record](), ROWS.now, _drawn(share)
    with long_fields():
        for line, record in read_records(file, lines, delimiter):
            if not "".join(record).strip():
                blank += 1
            elif not columns:
                columns = _header(file, line, record)
            elif wanted():
                _keep(file, rows, _row(file, columns, line, record), most)
    return Records(file, tuple(filter(None, columns)), tuple(rows), blank, line_as_header=True)


def _header(file: str, line: int, record: list[str]) -> tuple[str, ...]:
    """Check the names of columns; spreadsheets write columns without a name, which are not read."""
    if twice := [column for column, count in Counter(record).items() if column and count > 1]:
        raise DataError(
            f"expected columns with different names, got {show(twice[0])} twice; rename one; "
            f"{ADD_HEADER}",
            file,
            line,
        )
    return tuple(record)


def read_records(
    file: str, lines: Iterable[str], delimiter: str, advice: str = _CLOSE_QUOTES
) -> Iterator[tuple[int, list[str]]]:
    """Yield each record with its first line number; a record with quoted line breaks spans several
    lines.
    """
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    while True:
        line = reader.line_num + 1
        try:
            record = next(reader, None)
        except csv.Error as error:
            raise DataError(f"the quotes cannot be read ({error}); {advice}", file, line) from None
        if record is None:
            return
        yield line, record


def _row(file: str, columns: tuple[str, ...], line: int, record: list[str]) -> Record:
    if len(record) != len(columns):
        raise DataError(
            f"expected {len(columns)} fields as in the header, got {len(record)}; "
            "put a text that contains the delimiter in double quotes",
            file,
            line,
        )
    cells = dict(zip(columns, record, strict=True))
    cells.pop("", None)
    return Record(line, cells)


def _json_lines(file: str, lines: Iterable[str], share: float) -> Records:
    columns = dict[str, None]()
    blank, rows, most, wanted = 0, list[Record](), ROWS.now, _drawn(share)
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            blank += 1
            continue
        if not wanted():
            continue
        row = Record(number, read_object(file, number, line.removesuffix("\n")))
        columns |= dict.fromkeys(row.cells)
        _keep(file, rows, row, most)
    return Records(file, tuple(columns), tuple(rows), blank)


def _drawn(share: float) -> Callable[[], bool]:
    """Decide at random which rows to keep: every k-th row could be of one class."""
    chance = random.Random(0)
    return lambda: share >= 1 or chance.random() < share


def _keep(file: str, rows: list[Record], row: Record, most: int) -> None:
    if len(rows) == most:
        raise DataError(ROWS.passed(), file, row.line)
    rows.append(row)


def read_object(file: str, number: int, line: str) -> dict[str, Any]:
    """Read one JSON object from a line; anything else is an error that names file and line."""
    try:
        value = json.loads(line, object_pairs_hook=unrepeated)
    except (ValueError, RecursionError) as error:
        raise DataError(
            f"expected a JSON object on each line, got broken JSON: {error}", file, number
        ) from None
    if not isinstance(value, dict):
        raise DataError(
            f"expected a JSON object on each line, got a {type(value).__name__}", file, number
        )
    return value


def read_objects(file: File) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield each JSON object of a published file with its line number; empty lines are skipped."""
    for number, line in file.lines():
        if line.strip():
            yield number, read_object(file.shown, number, line)
