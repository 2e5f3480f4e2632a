"""Read large published tables with a header, record by record, keeping only the needed columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from operator import itemgetter

from sightline.core.error_excerpts import list_names, show
from sightline.core.errors import DataError
from sightline.data.corpora.corpus_files import AGAIN
from sightline.data.readers.archives import File
from sightline.data.readers.csv_jsonl import read_records


def read_columns(file: File, needed: Sequence[str]) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield the first line number of each record and its cells in the needed columns, whose case
    does not matter.

    The length limit of a cell is global to the process; the caller sets it
    (`sightline.data.readers.csv_jsonl.long_fields`).
    """
    records = read_records(file.shown, file.ended_lines(), ",", AGAIN)
    line, header = next(records, (1, list[str]()))
    cells, width = itemgetter(*_places(file, line, header, needed)), len(header)
    for line, record in records:
        if len(record) != width:
            if not record:
                continue  # an empty line
            message = f"expected {width} fields as in the header, got {len(record)}; {AGAIN}"
            raise DataError(message, file.shown, line)
        yield line, cells(record)


def _places(file: File, line: int, header: Sequence[str], needed: Sequence[str]) -> list[int]:
    names = [name.strip().upper() for name in header]
    for name in needed:
        if name not in names:
            message = f"expected a column {name}, there are {list_names(header) or 'none'}; {AGAIN}"
            raise DataError(message, file.shown, line)
    if twice := [name for name, count in Counter(names).items() if count > 1]:
        raise DataError(
            f"expected columns with different names, got {show(twice[0])} twice; {AGAIN}",
            file.shown,
            line,
        )
    return [names.index(name) for name in needed]


def read_number(file: File, line: int, column: str, cell: str) -> int:
    """Read an id of the database, such as a patient's."""
    if not (cell.strip().isdecimal() and len(cell) < 19):
        raise DataError(
            f"expected a whole number in {column}, got {show(cell)}; {AGAIN}", file.shown, line
        )
    return int(cell)
