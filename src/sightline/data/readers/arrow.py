"""Read rows from Apache Arrow formats: Parquet files, and the streams that `datasets` writes.
pyarrow reads both.

Only the requested columns are read. A column of class numbers, which `datasets` records in the
schema (`ClassLabel`), is read as class names. Rows are numbered from 1.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any

from sightline._io.limits import FILE, ROWS
from sightline._io.safe_open import open_regular
from sightline.core.error_excerpts import show
from sightline.core.errors import DataError, MissingExtra
from sightline.core.installation import install_line
from sightline.data.readers.csv_jsonl import Record, Records
from sightline.data.readers.line_stream import reading

_AT_ONCE = 1024
"""Number of rows read from a Parquet file at a time."""


def read_parquet(file: str, wanted: Collection[str]) -> Records:
    """Read the wanted columns of a Parquet file."""
    parquet = _pyarrow(file).parquet
    with reading(file), open_regular(file, FILE) as stream, _understanding(file, "a Parquet file"):
        table = parquet.ParquetFile(stream)
        _check_promised(file, table.metadata, wanted)
        names = [name for name in table.schema_arrow.names if name in wanted]
        batches = table.iter_batches(batch_size=_AT_ONCE, columns=names, use_threads=False)
        return _rows(file, table.schema_arrow, batches, wanted)


def read_streams(files: Sequence[Path], shown: str, wanted: Collection[str]) -> Records:
    """Read the wanted columns of several Arrow streams as one table, called ``shown`` in messages."""
    pyarrow = _pyarrow(shown)

    def batches() -> Iterator[Any]:
        for file in files:
            with (
                reading(file),
                open_regular(file, FILE) as stream,
                _understanding(str(file), "an Arrow stream"),
            ):
                yield from pyarrow.ipc.open_stream(stream)

    first = next(found := batches(), None)
    if first is None:
        raise DataError("expected a table of texts and labels, got no rows", shown)
    with reading(files[0]):  # invalid UTF-8 is noticed when a text is extracted
        return _rows(shown, first.schema, chain([first], found), wanted)


def _pyarrow(file: str) -> Any:
    try:
        import pyarrow.ipc  # noqa: PLC0415  (optional)
        import pyarrow.parquet  # noqa: PLC0415  (optional)
    except ImportError:
        message = (
            f"is read by pyarrow, which is not installed; install it: {install_line('parquet')}"
        )
        raise MissingExtra(f"{file}: {message}") from None
    return pyarrow


@contextmanager
def _understanding(file: str, what: str) -> Iterator[None]:
    """Turn pyarrow's errors into one error that names the file."""
    from pyarrow import ArrowException  # noqa: PLC0415  (optional)

    try:
        yield
    except MemoryError:  # pyarrow has a subclass of it too
        raise
    except ArrowException as error:
        message = str(error).partition("\n")[0].rstrip(".")
        raise DataError(
            f"expected {what}, whole, got something else: {message}; write it again", file
        ) from None


def _check_promised(file: str, about: Any, wanted: Collection[str]) -> None:
    """Refuse a file whose metadata announce too much data, before decompressing it."""
    if about.num_rows > ROWS.now:
        raise DataError(ROWS.passed(about.num_rows), file)
    groups = (about.row_group(number) for number in range(about.num_row_groups))
    parts = (group.column(number) for group in groups for number in range(group.num_columns))
    size = sum(
        part.total_uncompressed_size
        for part in parts
        if part.path_in_schema.partition(".")[0] in wanted
    )
    if size > FILE.now:
        raise DataError(FILE.passed(size), file)


def _rows(file: str, schema: Any, batches: Iterator[Any], wanted: Collection[str]) -> Records:
    if twice := [name for name, count in Counter(schema.names).items() if count > 1]:
        raise DataError(
            f"expected columns with different names, got {show(twice[0])} twice; rename one", file
        )
    classes = {name: names for name, names in _class_names(schema).items() if name in wanted}
    rows, size = list[Record](), 0
    for batch in batches:
        asked = [name for name in batch.schema.names if name in wanted]
        batch = batch.select(asked)
        if (size := size + batch.nbytes) > FILE.now:
            raise DataError(FILE.passed(), file)
        if len(rows) + batch.num_rows > ROWS.now:
            raise DataError(ROWS.passed(), file)
        columns = [
            _named(file, len(rows), name, column.to_pylist(), classes.get(name))
            for name, column in zip(asked, batch.columns, strict=True)
        ]
        records = zip(*columns, strict=True) if columns else [()] * batch.num_rows
        rows += [
            Record(len(rows) + i, dict(zip(asked, cells, strict=True)))
            for i, cells in enumerate(records, 1)
        ]
    if not rows:
        raise DataError("expected a table of texts and labels, got no rows", file)
    return Records(file, tuple(schema.names), tuple(rows), 0)


def _class_names(schema: Any) -> Mapping[str, Sequence[str]]:
    """Give the class names of each column of class numbers, or of lists of them."""
    try:
        features = json.loads((schema.metadata or {}).get(b"huggingface", b"{}"))["info"][
            "features"
        ]
        inner = {name: _of_one(feature) for name, feature in features.items()}
        return {
            name: list(map(str, feature["names"]))
            for name, feature in inner.items()
            if isinstance(feature, dict) and feature.get("_type") == "ClassLabel"
        }
    except (
        ValueError,
        LookupError,
        TypeError,
        AttributeError,
    ):  # the metadata may hold something else
        return {}


def _of_one(feature: Any) -> Any:
    """Describe one value of a column of lists; `datasets` has written lists in two ways."""
    if isinstance(feature, list) and len(feature) == 1:
        return feature[0]
    return feature.get("feature", feature) if isinstance(feature, dict) else feature


def _named(
    file: str, before: int, column: str, cells: list[Any], names: Sequence[str] | None
) -> list[Any]:
    """Replace class numbers by class names if the column has them."""
    if names is None:
        return cells

    def name_of(cell: Any, line: int) -> Any:
        if isinstance(cell, list):
            return [name_of(one, line) for one in cell]
        if cell is None:
            return None
        if type(cell) is int and 0 <= cell < len(names):
            return names[cell]
        message = (
            f"expected the number of a class in {column!r}, 0 to {len(names) - 1}, got {show(cell)}"
        )
        raise DataError(f"{message}; remove rows without a label", file, line)

    return [name_of(cell, line) for line, cell in enumerate(cells, before + 1)]
