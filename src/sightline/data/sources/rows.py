"""Files to rows: delimited text and JSON lines, plain or gzipped; every mistake in them is named by file and line."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sightline.data.sources.packed import File
from sightline.errors import DataError

Kind = str
_DELIMITERS = {"csv": ",", "tsv": "\t"}
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True)
class Row:
    """One record: the line it begins on, and its cells by column."""

    line: int
    cells: Mapping[str, Any]


@dataclass(frozen=True)
class Rows:
    """The records of a file, the columns they have, and how many rows held nothing."""

    file: str
    columns: tuple[str, ...]
    records: tuple[Row, ...]
    blank: int


def read_rows(file: str, kind: Kind, holds: str = "texts and labels") -> Rows:
    """Read a whole table; guarantees at least one record, or a `DataError` that names file and line."""
    text = _decode(file, _bytes(file))
    rows = _json_lines(file, text) if kind == "jsonl" else _delimited(file, text, _DELIMITERS[kind])
    if not rows.records:
        found = "a header and no rows" if rows.columns else "an empty file"
        raise DataError(f"expected a table of {holds}, got {found}", file)
    return rows


def table_digest(file: str) -> str:
    """Give the SHA-256 of a file's bytes, by which its table is known."""
    with _reading(file), Path(file).open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _bytes(file: str) -> bytes:
    path = Path(file)
    with _reading(file):
        data = path.read_bytes()
        return gzip.decompress(data) if path.suffix.lower() == ".gz" else data


@contextmanager
def _reading(file: str) -> Iterator[None]:
    """Turn what the disk or a torn gzip file does into one error that names the file."""
    if Path(file).is_dir():
        raise DataError("expected a file, got a folder; name the table inside it", file)
    try:
        yield
    except FileNotFoundError:
        raise DataError("there is no such file; check the path", file) from None
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise DataError(f"expected a whole gzip file, got {error}; write it again or drop .gz", file) from None
    except (OSError, ValueError) as error:
        raise DataError(f"the file cannot be read: {error}", file) from None


def _decode(file: str, data: bytes) -> str:
    """Decode UTF-8, with or without a byte order mark, and refuse NUL, which no text has."""
    if data.startswith(_UTF16):
        raise DataError("expected UTF-8, got UTF-16; save the file as UTF-8", file, 1)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        found = f"byte 0x{data[error.start]:02x}"
        advice = "save the file as UTF-8, for example: iconv -f LATIN1 -t UTF-8 OLD > NEW"
        raise DataError(f"expected UTF-8 text, got {found}; {advice}", file, line) from None
    if (place := text.find("\0")) >= 0:
        line = text.count("\n", 0, place) + 1
        raise DataError("expected text, got a NUL byte; remove it, or save the file as UTF-8 text", file, line)
    return text


@contextmanager
def _long_fields(longest: int) -> Iterator[None]:
    """Allow long CSV fields for a while: the limit belongs to the whole process, so it is put back."""
    before = csv.field_size_limit()
    csv.field_size_limit(max(before, min(longest, 2**31 - 1)))  # a C long: 32 bits on some systems
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _delimited(file: str, text: str, delimiter: str) -> Rows:
    with _long_fields(len(text) + 1):
        records = list(_records(file, text, delimiter))
    filled = [(line, record) for line, record in records if "".join(record).strip()]
    columns = tuple(filled[0][1]) if filled else ()
    if twice := [column for column, count in Counter(columns).items() if count > 1]:
        raise DataError(
            f"expected columns with different names, got {twice[0]!r} twice; rename one", file, filled[0][0]
        )
    rows = tuple(_row(file, columns, line, record) for line, record in filled[1:])
    return Rows(file, columns, rows, len(records) - len(filled))


def _records(file: str, text: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield each record with the line it begins on; a record with quoted line breaks spans several."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    while True:
        line = reader.line_num + 1
        try:
            record = next(reader, None)
        except csv.Error as error:
            advice = 'a text with quotes is written "like ""this""", each opened quote closed'
            raise DataError(f"the quotes cannot be read ({error}); {advice}", file, line) from None
        if record is None:
            return
        yield line, record


def _row(file: str, columns: tuple[str, ...], line: int, record: list[str]) -> Row:
    if len(record) != len(columns):
        raise DataError(
            f"expected {len(columns)} fields as in the header, got {len(record)}; "
            "put a text that contains the delimiter in double quotes",
            file,
            line,
        )
    return Row(line, dict(zip(columns, record, strict=True)))


def _json_lines(file: str, text: str) -> Rows:
    # Not splitlines(): a JSON text may hold U+2028 and its like as they are.
    lines = text.removesuffix("\n").split("\n") if text else []
    filled = [(number, line) for number, line in enumerate(lines, start=1) if line.strip()]
    rows = tuple(Row(number, read_object(file, number, line)) for number, line in filled)
    columns = tuple(dict.fromkeys(column for row in rows for column in row.cells))
    return Rows(file, columns, rows, len(lines) - len(filled))


def read_object(file: str, number: int, line: str) -> dict[str, Any]:
    """Read the JSON object on a line; anything else is an error that names file and line."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise DataError(f"expected a JSON object on each line, got broken JSON: {error}", file, number) from None
    if not isinstance(value, dict):
        raise DataError(f"expected a JSON object on each line, got a {type(value).__name__}", file, number)
    return value


def read_objects(file: File) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield each JSON object of a published file with its line; an empty line is passed over."""
    for number, line in file.lines():
        if line.strip():
            yield number, read_object(file.shown, number, line)
