"""The index of a store: the summaries of runs, so that unchanged runs need not be read again.

It saves time and holds nothing that the runs do not. A run is recognised by the size and the
modification time of its files; a run that differs is read and checked again. An index that is
missing, torn, foreign or locked is ignored, and written again if possible.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing, suppress
from dataclasses import astuple, dataclass
from pathlib import Path

_TABLE = (
    "CREATE TABLE IF NOT EXISTS runs3 (key TEXT PRIMARY KEY, stamp TEXT, whole INT, summary TEXT)"
)
_SETTLED = 2_000_000_000
"""Nanoseconds after which a change shows in a file's time: a younger file might change unnoticed,
and is not kept."""
_NO_INDEX = (
    sqlite3.SQLITE_ERROR,
    sqlite3.SQLITE_CORRUPT,
    sqlite3.SQLITE_NOTADB,
    sqlite3.SQLITE_MISMATCH,
)
"""SQLite's errors for a file that is torn or not ours; other errors say that it is locked, or
cannot be read or written."""


@dataclass(frozen=True)
class IndexEntry:
    """What was read of a run: its summary, the stamp of its files, and whether every byte of it was
    checked (``whole``).
    """

    stamp: str
    whole: int
    summary: str


@dataclass(frozen=True)
class Index:
    """The rows of a store, in one file that any number of processes may use at once."""

    file: Path

    def recall(self, keys: Iterable[str]) -> dict[str, IndexEntry]:
        """Look up rows by the keys of runs; missing ones are left out."""
        found: dict[str, IndexEntry] = {}

        def look(rows: sqlite3.Connection) -> None:
            for key in keys:
                for row in rows.execute(
                    "SELECT stamp, whole, summary FROM runs3 WHERE key = ?", (key,)
                ):
                    found[key] = IndexEntry(*row)

        if self.file.exists():
            self._use(look)
        return found

    def keep(self, read: Mapping[str, IndexEntry | None]) -> None:
        """Keep what was read; a run that is not whole (None) is removed."""
        values = [(key, *astuple(row)) for key, row in read.items() if row is not None]

        def write(rows: sqlite3.Connection) -> None:
            with rows:
                rows.executemany("DELETE FROM runs3 WHERE key = ?", [(key,) for key in read])
                rows.executemany("INSERT INTO runs3 VALUES (?, ?, ?, ?)", values)

        if read:
            self._use(write)

    def clear(self) -> None:
        """Remove all rows, so that every run is read again."""
        if self.file.exists():
            self._use(lambda rows: rows.execute("DROP TABLE runs3"))

    def _use(self, work: Callable[[sqlite3.Connection], object]) -> None:
        """Open the file and work on it; a faulty index costs only time."""
        try:
            with closing(sqlite3.connect(self.file, timeout=1.0)) as rows:
                rows.execute("PRAGMA synchronous = OFF")  # a power cut costs only time
                rows.execute(_TABLE)
                work(rows)
        except sqlite3.Error as error:
            if getattr(error, "sqlite_errorcode", None) in _NO_INDEX:
                with suppress(OSError):
                    self.file.unlink()


def stamp(folder: str | Path, *, settled: bool = True) -> str | None:
    """Return the size and the modification time of every file of a folder.

    None if there is no folder, or if a file is too young to be ``settled``; the writer itself need
    not wait.
    """
    try:
        with os.scandir(folder) as files:
            found = sorted(
                (file.name, (seen := file.stat()).st_size, seen.st_mtime_ns) for file in files
            )
    except OSError:
        return None
    if not found or (
        settled and max(changed for _, _, changed in found) > time.time_ns() - _SETTLED
    ):
        return None
    return "\n".join(f"{name} {size} {changed}" for name, size, changed in found)
