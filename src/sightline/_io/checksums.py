"""Checksums of the files in a saved folder, which every reader checks.

They detect a folder that a crash left incomplete or that was edited.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

from sightline._io.atomic_write import put_back, write_whole
from sightline._io.safe_open import file_digest
from sightline.core.errors import SightlineError

MANIFEST = "SHA256SUMS"
"""One line for each file, as `sha256sum -c SHA256SUMS` reads it; the last line seals the list
itself."""
_SEAL = "# seal "


def write_sealed(folder: Path, write: Callable[[Path], None]) -> None:
    """Let ``write`` create a folder, and put it in place once all of it is on disk."""

    def sealed(aside: Path) -> None:
        write(aside)
        seal(aside)

    _write_flushed(folder, sealed)


def write_copy(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write a copy of a sealed folder from its bytes, keeping its checksums."""

    def copied(aside: Path) -> None:
        aside.mkdir()
        for name, content in files.items():
            (aside / name).write_bytes(content)

    _write_flushed(folder, copied)


def _write_flushed(folder: Path, write: Callable[[Path], None]) -> None:
    def flushed(aside: Path) -> None:
        write(aside)
        for path in (*aside.iterdir(), aside):
            _flush(path)

    write_whole(folder, flushed)
    _flush(folder.parent)


def seal(folder: Path) -> None:
    """Write the checksums of a folder. The list has a checksum too: cut at a line end, it would
    look complete.
    """
    files = (path for path in sorted(folder.iterdir()) if path.is_file() and path.name != MANIFEST)
    lines = "".join(f"{file_digest(path)}  {path.name}\n" for path in files)
    (folder / MANIFEST).write_bytes(f"{lines}{_SEAL}{_digest(lines.encode())}\n".encode())


def changed_file(folder: Path) -> Path | None:
    """Name the first file that has changed or is missing, the list of checksums first; None if all
    are intact.
    """
    lines = _lines(folder)
    if lines is None:
        return folder / MANIFEST
    files = (folder / name for name in lines)
    return next(
        (file for file in files if not file.is_file() or file_digest(file) != lines[file.name]),
        None,
    )


def check_unchanged(folder: Path, error: type[SightlineError], remedy: str) -> None:
    """Raise an error if a file has changed or the list of checksums is missing; ``remedy`` says what
    to do.
    """
    if not (folder / MANIFEST).is_file():
        raise error(
            f"{folder}: has no {MANIFEST}, so changes to its files cannot be noticed; {remedy}"
        )
    if changed := changed_file(folder):
        raise error(f"{changed}: not as it was written, says {MANIFEST} next to it; {remedy}")


def is_whole(folder: Path) -> bool:
    """Tell whether a folder exists and every byte matches its checksums."""
    put_back(folder)
    try:
        return changed_file(folder) is None
    except OSError:
        return False


def read_whole(folder: str | Path, wanted: str, *, alone: bool = False) -> bytes | None:
    """Read one file of a folder while checking every file; None if the folder is not whole.

    With ``alone``, only that file is checked: enough to trust its content, not to call the run
    whole.
    """
    place = Path(folder)
    put_back(place)
    lines = _lines(place)
    if lines is None:
        return None
    content = None
    try:
        for name, checksum in lines.items():
            if alone and name != wanted:
                continue
            read = (place / name).read_bytes()
            if _digest(read) != checksum:
                return None
            content = read if name == wanted else content
    except OSError:
        return None
    return content


def _lines(folder: Path) -> dict[str, str] | None:
    """Read the checksums by file name; None if the list itself is damaged."""
    try:
        lines, sealed = (folder / MANIFEST).read_bytes().decode().split(_SEAL)
        if sealed != f"{_digest(lines.encode())}\n":
            return None
        return {
            name: checksum
            for checksum, name in (line.split("  ", 1) for line in lines.splitlines())
        }
    except (OSError, ValueError):
        return None


def sweep_aside(folder: Path) -> None:
    """Remove what a killed process left next to a folder; only the process that has claimed the
    folder may call this.
    """
    for left in folder.parent.glob(f".{folder.name}.*"):
        shutil.rmtree(left, ignore_errors=True)


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _flush(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
