"""Read rows of a data frame in memory: pandas, polars, pyarrow, and whatever else narwhals
supports.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Protocol, cast, runtime_checkable

import numpy as np

from sightline._io.atomic_write import plain
from sightline._io.limits import ROWS
from sightline.core.error_excerpts import show_name
from sightline.core.errors import DataError, MissingExtra
from sightline.core.installation import install_line
from sightline.data.readers.csv_jsonl import Record, Records


@runtime_checkable
class Frame(Protocol):
    """A table in memory: any object with columns."""

    @property
    def columns(self) -> Any:
        """The columns, or their names."""


def read_frame(frame: Frame, name: str, wanted: Collection[str]) -> Records:
    """Read the wanted columns; rows are numbered from 0, and a missing value is None."""
    table = _understood(frame, name)
    if len(table) > ROWS.now:
        raise DataError(ROWS.passed(len(table)), name)
    asked = [column for column in table.columns if str(column) in wanted]
    columns = [_cells(table.get_column(column)) for column in asked]
    rows = zip(*columns, strict=True) if columns else [()] * len(table)
    records = tuple(
        Record(number, dict(zip(map(str, asked), cells, strict=True)))
        for number, cells in enumerate(rows)
    )
    if not records:
        raise DataError("expected a table of texts and labels, got no rows", name)
    return Records(name, tuple(map(str, table.columns)), records, 0, header=None)


def _understood(frame: Frame, name: str) -> Any:
    try:
        import narwhals  # noqa: PLC0415  (optional)
    except ImportError:
        message = (
            "a data frame is read by narwhals, which is not installed; install it: "
            f"{install_line('frames')}"
        )
        raise MissingExtra(f"{name}: {message}") from None
    different = "expected columns with different names"
    try:
        table = narwhals.from_native(cast(Any, frame), eager_only=True)
        _ = table.columns  # repeated names raise here
    except TypeError:
        wanted = "expected a data frame of pandas, polars or pyarrow with its rows in memory"
        raise DataError(f"{wanted}, got {type(frame).__name__}; collect a lazy one first") from None
    except narwhals.exceptions.DuplicateError as error:
        twice = " ".join(str(error).split())
        raise DataError(f"{different}: {twice}; rename one", name) from None
    names = [str(column) for column in table.columns]
    if again := next((one for one in names if names.count(one) > 1), None):
        raise DataError(f"{different}, got {show_name(again)} twice; rename one", name)
    return table


def _cells(column: Any) -> list[Any]:
    """Give the values of a column as Python's own, with None for missing ones."""
    missing = column.is_null().to_list()
    return [
        None if gone else _value(value)
        for value, gone in zip(column.to_list(), missing, strict=True)
    ]


def _value(value: Any) -> Any:
    """Convert a value to Python's own; spans may be arrays of arrays, as pandas reads Parquet."""
    if isinstance(value, np.ndarray | list | tuple):
        return [_value(one) for one in value]
    return plain(value)
