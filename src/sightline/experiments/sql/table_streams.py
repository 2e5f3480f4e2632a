"""Tables as streams, read from the store whenever DuckDB scans them, so that they are
never stale.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from itertools import islice
from typing import Any

from sightline.experiments.sql.store_tables import Kind, SqlTable, TableRow
from sightline.report.sanitize import escape_surrogates

_ROWS = 2**13
"""Rows per batch: enough to cost no time, and few enough to need little memory."""
_LARGEST = 2**63


class Stream:
    """A table of a store as DuckDB scans it: it asks once for the columns, and once more for each
    scan.

    An error while rows are read is kept in ``failure``: DuckDB would pass on only its message.
    """

    def __init__(self, table: SqlTable, rows: Callable[[], Iterator[TableRow]]) -> None:
        self._arrow = import_module("pyarrow")
        self._rows, self._kinds = rows, [column.kind for column in table.columns]
        types = {
            "text": self._arrow.string(),
            "whole number": self._arrow.int64(),
            "number": self._arrow.float64(),
        }
        self._schema = self._arrow.schema(
            [(column.name, types[column.kind]) for column in table.columns]
        )
        self.failure: BaseException | None = None

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Start a scan with Arrow's interface for streams; the first row is read when it is asked
        for.
        """
        reader = self._arrow.RecordBatchReader.from_batches(self._schema, self._batches())
        return reader.__arrow_c_stream__(requested_schema)

    def _batches(self) -> Iterator[Any]:
        try:
            rows = self._rows()
            while part := list(islice(rows, _ROWS)):
                yield self._batch(part)
        except GeneratorExit:  # DuckDB wants no more rows
            raise
        except BaseException as error:
            self.failure = error
            raise

    def _batch(self, rows: Sequence[TableRow]) -> Any:
        columns = zip(self._schema.types, self._kinds, zip(*rows, strict=True), strict=True)
        arrays = [
            self._arrow.array(_clean(kind, values), type, from_pandas=True)
            for type, kind, values in columns
        ]
        return self._arrow.record_batch(arrays, schema=self._schema)  # NaN has become null


def _clean(kind: Kind, values: Sequence[Any]) -> Sequence[Any]:
    """Make values fit a column: half a surrogate pair becomes its number, and whole numbers have at
    most 64 bits.
    """
    if kind == "text":
        return [value if value.isascii() else escape_surrogates(value) for value in values]
    if kind == "whole number":
        return [
            None if value is None or not -_LARGEST <= value < _LARGEST else value
            for value in values
        ]
    return values
