"""Tables as streams: read from the store whenever DuckDB scans them, and no sooner, so that nothing
can go stale.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from itertools import islice
from typing import Any

from sightline.experiments.sql.store_tables import Kind, SqlTable, TableRow
from sightline.report.sanitize import sound

_ROWS = 2**13
"""Rows that are handed on at a time: enough that it costs nothing, and few enough that they need no
room."""
_LARGEST = 2**63


class Stream:
    """A table of a store in the form that DuckDB scans: it asks once for the columns, and once more
    for each scan.

    What goes wrong while rows are read is kept in ``failure``: DuckDB would hand on its words
    alone.
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
        """Begin to read, as Arrow's interface for streams has it: the first row when it is asked
        for.
        """
        reader = self._arrow.RecordBatchReader.from_batches(self._schema, self._batches())
        return reader.__arrow_c_stream__(requested_schema)

    def _batches(self) -> Iterator[Any]:
        try:
            rows = self._rows()
            while part := list(islice(rows, _ROWS)):
                yield self._batch(part)
        except GeneratorExit:  # nobody wants more rows
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
    """Make values fit for a column: half a surrogate pair by its number, no whole number of more
    than 64 bits.
    """
    if kind == "text":
        return [value if value.isascii() else sound(value) for value in values]
    if kind == "whole number":
        return [
            None if value is None or not -_LARGEST <= value < _LARGEST else value
            for value in values
        ]
    return values
