"""The index of a store: what was read of each run, so that runs which have not changed need not be
read again.

It saves time and holds nothing that the runs do not: a run is known by the size and the time of
change of its files, and what differs is read and checked again. An index that is missing, torn,
foreign or locked is done without, and written again if possible.
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
    "CREATE TABLE IF NOT EXISTS runs2 (key TEXT PRIMARY KEY, stamp TEXT, whole INT, summary TEXT)"
)
_SETTLED = 2_000_000_000
"""Nanoseconds after which a change shows in a file's time: what is younger might change unseen, and
is not kept."""
_NO_INDEX = (
    sqlite3.SQLITE_ERROR,
    sqlite3.SQLITE_CORRUPT,
    sqlite3.SQLITE_NOTADB,
    sqlite3.SQLITE_MISMATCH,
)
"""What SQLite says of a file that is torn or not ours; others are that it is locked, or not to be
read or written."""


@dataclass(frozen=True)
class IndexEntry:
    """What was read of a run: its summary, under which stamp, and whether ``whole``: every byte of
    it was checked.
    """

    stamp: str
    whole: int
    summary: str


@dataclass(frozen=True)
class Index:
    """The rows of a store, in one file that any number of processes may use at once."""

    file: Path

    def recall(self, keys: Iterable[str]) -> dict[str, IndexEntry]:
        """Look up rows by the keys of runs; those that are not there are left out."""
        found: dict[str, IndexEntry] = {}

        def look(rows: sqlite3.Connection) -> None:
            for key in keys:
                for row in rows.execute("SELECT * FROM runs2 WHERE key = ?", (key,)):
                    found[key] = IndexEntry(*row[1:])

        if self.file.exists():
            self._use(look)
        return found

    def keep(self, read: Mapping[str, IndexEntry | None]) -> None:
        """Keep what was read; a run that is not whole (None) is forgotten."""
        values = [(key, *astuple(row)) for key, row in read.items() if row is not None]

        def write(rows: sqlite3.Connection) -> None:
            with rows:
                rows.executemany("DELETE FROM runs2 WHERE key = ?", [(key,) for key in read])
                rows.executemany("INSERT INTO runs2 VALUES (?, ?, ?, ?)", values)

        if read:
            self._use(write)

    def clear(self) -> None:
        """Remove all rows, so that every run is read again."""
        if self.file.exists():
            self._use(lambda rows: rows.execute("DROP TABLE runs2"))

    def _use(self, work: Callable[[sqlite3.Connection], object]) -> None:
        """Open the file and work on it; whatever is wrong with it costs time and nothing else."""
        try:
            with closing(sqlite3.connect(self.file, timeout=1.0)) as rows:
                rows.execute("PRAGMA synchronous = OFF")  # what a power cut tears is written again
                rows.execute(_TABLE)
                work(rows)
        except sqlite3.Error as error:
            if getattr(error, "sqlite_errorcode", None) in _NO_INDEX:
                with suppress(OSError):
                    self.file.unlink()


def stamp(folder: str | Path, *, settled: bool = True) -> str | None:
    """Give the size and the time of change of every file of a folder.

    None where there is none, or where one is too young to be ``settled``, which does not matter to
    who wrote it.
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
