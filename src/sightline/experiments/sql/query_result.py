"""The answer to a query: columns and rows, and how they are written or shown."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from importlib import import_module
from io import StringIO, TextIOWrapper
from pathlib import Path
from typing import IO, Any

from sightline._io.atomic_write import plain
from sightline.core.errors import SpecError, StoreError
from sightline.report.column_layout import aligned
from sightline.report.number_format import count_phrase, number
from sightline.report.tables.csv_table import write_rows

_ROWS = 2**14
"""Rows converted at a time: Python's values take many times more memory."""
_START = 2**20
"""Characters of a file in which an answer names its columns."""
_KEY = re.compile(r'^  ("(?:[^"\\]|\\.)*"): ', re.MULTILINE)
"""A column at the start of a line of indented JSON."""


@dataclass(frozen=True)
class QueryResult:
    """A whole table in Arrow's form."""

    table: Any

    def __len__(self) -> int:
        """Count the rows."""
        return int(self.table.num_rows)

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """Name the columns; repeated names get a number, as in DuckDB's own subqueries."""
        names: list[str] = []
        for name in self.table.column_names:
            numbered = (f"{name}_{place}" for place in range(1, len(self.table.column_names)))
            names.append(next(one for one in (name, *numbered) if one not in names))
        return tuple(names)

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """Return the rows as JSON values, also within lists and mappings."""
        for batch in self.table.to_batches(max_chunksize=_ROWS):
            columns = [map(_simple, column.to_pylist()) for column in batch.columns]
            yield from zip(*columns, strict=True)

    def records(self) -> list[dict[str, Any]]:
        """Return each row as a mapping from its columns; NaN and infinity become None."""
        return [dict(zip(self.columns, map(plain, row), strict=True)) for row in self.rows()]


def check_answer(path: Path) -> None:
    """Refuse a file type that cannot be written here."""
    if path.suffix.lower() not in KINDS:
        raise SpecError(f"expected a name that ends in {', '.join(KINDS)}, got {path}", field="out")


def check_replaced(path: Path, answer: QueryResult) -> None:
    """Refuse to replace a file that holds no answer with the same columns: nothing else tells an
    answer from a table of the user.
    """
    if path.exists() and path.stat().st_size and not _has_columns(path, answer.columns):
        raise StoreError(
            f"{path} exists and is no answer with the columns of this one; name another file, or "
            "move this one",
            field="out",
        )


def _has_columns(path: Path, columns: Sequence[str]) -> bool:
    """Tell whether a file holds a written answer with these columns; without rows, JSON has none."""
    try:
        if path.suffix.lower() == ".parquet":
            return [*import_module("pyarrow.parquet").read_schema(path).names] == [*columns]
        with path.open(encoding="utf-8", newline="") as file:
            start = file.read(_START)
    except ValueError:
        return False
    if path.suffix.lower() == ".csv":
        head = StringIO()
        write_rows(head, [columns])
        line = head.getvalue().removesuffix("\r\n")
        return start.startswith((f"{line}\r\n", f"{line}\n"))
    first, end, _ = start.removeprefix("[\n {\n").partition("\n }")
    return start == "[]" or (end != "" and [*map(json.loads, _KEY.findall(first))] == [*columns])


def to_json(answer: QueryResult) -> str:
    """Return the rows as strict JSON in ASCII, which any terminal and any pipe can carry."""
    return json.dumps(answer.records(), indent=1, allow_nan=False)


def to_lines(answer: QueryResult) -> str:
    """Lay the rows out in columns for a terminal, with rounded numbers."""
    rows = aligned([answer.columns, *map(_shown, answer.rows())])
    return "\n".join([*rows, count_phrase(len(answer), "row")])


def _shown(row: Sequence[Any]) -> list[str]:
    return [
        "" if value is None else number(value) if isinstance(value, float) else str(value)
        for value in row
    ]


def _csv(answer: QueryResult, file: IO[bytes]) -> None:
    text = TextIOWrapper(file, encoding="utf-8", newline="")
    write_rows(text, [answer.columns])
    write_rows(text, (map(_nested_as_json, row) for row in answer.rows()))
    text.detach()  # flushed, and the file left open


def _json(answer: QueryResult, file: IO[bytes]) -> None:
    file.write(to_json(answer).encode())


def _parquet(answer: QueryResult, file: IO[bytes]) -> None:
    arrow = import_module("pyarrow")
    try:
        import_module("pyarrow.parquet").write_table(
            answer.table.rename_columns(answer.columns), file
        )
    except arrow.ArrowNotImplementedError as error:
        raise SpecError(
            f"Parquet cannot hold a column of it ({error}); CAST that to text", field="out"
        ) from error


KINDS: Mapping[str, Callable[[QueryResult, IO[bytes]], None]] = {
    ".csv": _csv,
    ".json": _json,
    ".parquet": _parquet,
}
"""The endings of a file, and what writes each."""
PRINTED: Mapping[str, Callable[[QueryResult], str]] = {"json": to_json, "lines": to_lines}
"""How an answer may be printed."""


def _nested_as_json(value: Any) -> Any:
    nested = isinstance(value, bool | list | dict)
    return json.dumps(plain(value), allow_nan=False) if nested else value


def _simple(value: Any) -> Any:
    """Convert a value of Arrow to JSON; a date, a time or bytes become text."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Decimal):
        return float(value) if value.as_tuple().exponent else int(value)
    if isinstance(value, dict):
        return {str(key): _simple(one) for key, one in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, bytes):
        return [_simple(one) for one in value]
    return str(value)
