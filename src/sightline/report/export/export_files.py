"""Export an audit to a folder: two tables, and a description of their columns."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from sightline._io.atomic_write import is_free, plain, write_whole
from sightline._io.home_folder import from_home
from sightline.core.errors import MissingExtra, StoreError
from sightline.core.installation import install_line
from sightline.core.results import Results
from sightline.report.export.column_frame import ColumnFrame, FrameColumn
from sightline.report.export.text_rows import texts_frame
from sightline.report.export.word_rows import words_frame
from sightline.report.redact import redacted
from sightline.report.sanitize import escape_surrogates
from sightline.report.tables.csv_table import write_rows

COLUMNS = "columns.json"
LAYOUT = 1
"""Version of the folder's layout; raised when a field of `COLUMNS` changes its meaning."""
_ROWS = 2**14
"""Rows written at a time: as text they need many times their memory."""
EMPTY = "an undefined value is {empty}; 0 is a number like any other"
GUARDED = (
    "a text that a spreadsheet could take for a formula, or that begins with ', has one ' "
    "put before it: remove one ' from the front of every text that begins with it, to restore "
    "the text"
)
VISIBLE = (
    "a character that hides or reorders text, or that a terminal obeys, is written as a "
    "sign, such as ␛ or ⟦U+202E⟧; Parquet keeps it as it is"
)
Write = Callable[[ColumnFrame, Path], None]


def frames_of(audit: Results, texts: bool = True) -> dict[str, ColumnFrame]:
    """Give the two tables of an audit by name; without ``texts`` the words are left out."""
    return {"texts": texts_frame(audit), "words": words_frame(audit, texts)}


def check_kind(kind: str) -> None:
    """Refuse a kind of file that cannot be written."""
    if kind not in KINDS:
        raise ValueError(f"expected one of {', '.join(KINDS)}, got {kind!r}")
    if kind == "parquet":
        _arrow()


def export(
    audit: Results,
    folder: str | Path,
    kind: str = "csv",
    *,
    texts: bool = True,
    ids: bool = True,
) -> Path:
    """Write the tables and `COLUMNS` to a folder, all or nothing; replaces an existing export.
    ``texts`` and ``ids`` are left out as in a report.
    """
    check_kind(kind)
    final = from_home(folder)
    if not (is_free(final) or is_export(final)):
        raise StoreError(f"{final}: exists and is not an export; name a new folder")
    shown = redacted(audit, texts=texts, ids=ids)
    return write_whole(final, partial(_write, shown, kind, texts), OWN)


def is_export(folder: Path) -> bool:
    """Check whether `export` wrote this folder."""
    try:
        found = json.loads((folder / COLUMNS).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(found, dict) and "sightline_export" in found


def _write(audit: Results, kind: str, texts: bool, folder: Path) -> None:
    folder.mkdir()
    empty, label, write = KINDS[kind]
    tables = frames_of(audit, texts)
    for name, frame in tables.items():
        write(frame, folder / f"{name}.{kind}")
    about = {
        name: {"file": f"{name}.{kind}", **frame.described()} for name, frame in tables.items()
    }
    absent = audit.not_run | {code: f"failed: {error}" for code, error in audit.errors.items()}
    head: dict[str, Any] = {
        "sightline_export": LAYOUT,
        "reading": [EMPTY.format(empty=empty), *label],
    }
    whole = head | {"tables": about, "measures_not_taken": absent, "missing": audit.missing()}
    (folder / COLUMNS).write_text(
        json.dumps(plain(whole), indent=1, allow_nan=False), encoding="utf-8"
    )


def _csv(frame: ColumnFrame, path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        write_rows(file, [[column.name for column in frame.columns]])
        for part in _parts(frame):
            write_rows(file, zip(*(_values(column, part) for column in frame.columns), strict=True))


def _parts(frame: ColumnFrame) -> Iterator[slice]:
    return (slice(start, start + _ROWS) for start in range(0, len(frame), _ROWS))


def _values(column: FrameColumn, part: slice) -> list[Any]:
    if isinstance(column.values, list):
        return [escape_surrogates(text) for text in column.values[part]]
    return list(column.values[part].tolist())


def _parquet(frame: ColumnFrame, path: Path) -> None:
    arrow, parquet = _arrow()
    arrays = {column.name: _arrow_array(arrow, column) for column in frame.columns}
    parquet.write_table(arrow.table(arrays), path)


def _arrow_array(arrow: Any, column: FrameColumn) -> Any:
    if isinstance(column.values, list):
        return arrow.array([escape_surrogates(text) for text in column.values], type=arrow.string())
    return arrow.array(np.ascontiguousarray(column.values), from_pandas=True)  # NaN becomes null


def _arrow() -> tuple[Any, Any]:
    """Import the library that writes Parquet, an extra."""
    try:
        return import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError as error:
        raise MissingExtra(
            f"Parquet needs pyarrow ({error}): {install_line('parquet')}, or write CSV"
        ) from error


KINDS: Mapping[str, tuple[str, tuple[str, ...], Write]] = {
    "csv": ("empty", (GUARDED, VISIBLE), _csv),
    "parquet": ("null", (), _parquet),
}
"""For each kind of file: how an undefined value is written, further notes for readers, and the
writer."""
OWN = (COLUMNS, *(f"{name}.{kind}" for name in ("texts", "words") for kind in KINDS))
"""The files of an export of any kind."""
