"""Files to rows: delimited text and JSON lines, plain or gzipped; every mistake in them is named by file and line."""

from __future__ import annotations

import csv
import gzip
import hashlib
import json
import re
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sightline.bounds import FILE, ROWS
from sightline.data.sources.opening import opened
from sightline.data.sources.packed import File
from sightline.data.sources.showing import show
from sightline.errors import DataError
from sightline.regular import open_regular

Kind = str
LABELLED = "texts and labels"
"""What a table holds, where nobody says otherwise."""
_DELIMITERS = {"csv": ",", "tsv": "\t"}
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_OTHERS: Mapping[bytes, str] = {
    b"\x1f\x8b": "a gzip file; let its name end in .gz",
    b"PK\x03\x04": "a zip archive, as a spreadsheet (.xlsx) is; save it as CSV",
    b"\xd0\xcf\x11\xe0": "an old spreadsheet (.xls); save it as CSV",
    b"PAR1\x15": "a Parquet file; let its name end in .parquet",
    b"\xfd7zXZ\x00": "an xz file; unpack it first",
    b"\x28\xb5\x2f\xfd": "a zstd file; unpack it first",
}
"""What files begin with that are often named like a table, and are none."""
_CHUNK = 2**20
_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+")
_JSON_LINE = re.compile(r"[^\n]*\n|[^\n]+")
"""A line by line ends alone: a JSON text may hold U+2028 and its like as they are."""


@dataclass(frozen=True, slots=True)
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


def read_rows(file: str, kind: Kind, holds: str = LABELLED) -> Rows:
    """Read a whole table; guarantees at least one record, or a `DataError` that names file and line."""
    text = _decode(file, _bytes(file))
    rows = _json_lines(file, text) if kind == "jsonl" else _delimited(file, text, _DELIMITERS[kind])
    if not rows.records:
        found = "a header and no rows" if rows.columns else "an empty file"
        raise DataError(f"expected a table of {holds}, got {found}", file)
    return rows


def table_digest(file: str) -> str:
    """Give the SHA-256 of a file's bytes, by which its table is known."""
    with reading(file), open_regular(file, FILE) as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _bytes(file: str) -> bytearray:
    """Read a table piece by piece: what is no text is refused at its first piece, what is too large at its bound."""
    data, path = bytearray(), Path(file)
    with opened(path, FILE, reading, packed=path.suffix.lower() == ".gz") as stream:
        while piece := stream.read(_CHUNK):
            if not data:
                _check_beginning(file, piece)
            if (place := piece.find(b"\0")) >= 0:
                line = data.count(b"\n") + piece.count(b"\n", 0, place) + 1
                raise DataError("expected text, got a NUL byte; remove it, or save the file as UTF-8 text", file, line)
            data += piece
    return data


def _check_beginning(file: str, piece: bytes) -> None:
    if piece.startswith(_UTF16):
        raise DataError("expected UTF-8, got UTF-16; save the file as UTF-8", file, 1)
    if found := next((told for begin, told in _OTHERS.items() if piece.startswith(begin)), None):
        raise DataError(f"expected text, got {found}", file)


@contextmanager
def reading(file: str | Path) -> Iterator[None]:
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


def _decode(file: str, data: bytearray) -> str:
    """Decode UTF-8, with or without a byte order mark."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        found = f"byte 0x{data[error.start]:02x}"
        advice = "save the file as UTF-8, for example: iconv -f LATIN1 -t UTF-8 OLD > NEW"
        raise DataError(f"expected UTF-8 text, got {found}; {advice}", file, line) from None


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
    columns: tuple[str, ...] = ()
    blank, rows, most = 0, list[Row](), ROWS.now
    with _long_fields(len(text) + 1):
        for line, record in _records(file, text, delimiter):
            if not "".join(record).strip():
                blank += 1
            elif not columns:
                columns = _header(file, line, record)
            else:
                _keep(file, rows, _row(file, columns, line, record), most)
    return Rows(file, columns, tuple(rows), blank)


def _header(file: str, line: int, record: list[str]) -> tuple[str, ...]:
    if twice := [column for column, count in Counter(record).items() if count > 1]:
        raise DataError(f"expected columns with different names, got {show(twice[0])} twice; rename one", file, line)
    return tuple(record)


def _records(file: str, text: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield each record with the line it begins on; a record with quoted line breaks spans several."""
    reader = csv.reader((line[0] for line in _LINE.finditer(text)), delimiter=delimiter, strict=True)
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
    columns = dict[str, None]()
    blank, rows, most = 0, list[Row](), ROWS.now
    for number, match in enumerate(_JSON_LINE.finditer(text), start=1):
        if not match[0].strip():
            blank += 1
            continue
        row = Row(number, read_object(file, number, match[0].removesuffix("\n")))
        columns |= dict.fromkeys(row.cells)
        _keep(file, rows, row, most)
    return Rows(file, tuple(columns), tuple(rows), blank)


def _keep(file: str, rows: list[Row], row: Row, most: int) -> None:
    if len(rows) == most:
        raise DataError(ROWS.passed(), file, row.line)
    rows.append(row)


def read_object(file: str, number: int, line: str) -> dict[str, Any]:
    """Read the JSON object on a line; anything else is an error that names file and line."""
    try:
        value = json.loads(line, object_pairs_hook=_without_copies)
    except (ValueError, RecursionError) as error:
        raise DataError(f"expected a JSON object on each line, got broken JSON: {error}", file, number) from None
    if not isinstance(value, dict):
        raise DataError(f"expected a JSON object on each line, got a {type(value).__name__}", file, number)
    return value


def _without_copies(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make an object of its pairs; of two values for one key nobody can say which was meant."""
    found = dict(pairs)
    if len(found) != len(pairs):
        twice = next(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
        raise ValueError(f"the key {show(twice)} is there twice; keep one")
    return found


def read_objects(file: File) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield each JSON object of a published file with its line; an empty line is passed over."""
    for number, line in file.lines():
        if line.strip():
            yield number, read_object(file.shown, number, line)
