"""Checksums of the files in a saved folder, which every reader checks.

They show a folder that a crash cut short or that was edited.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

from sightline._io.atomic_write import put_back, write_whole

MANIFEST = "SHA256SUMS"
"""A line for each file, as `sha256sum -c SHA256SUMS` reads it, and a last one that seals the lines
themselves."""
_SEAL = "# seal "


def write_sealed(folder: Path, write: Callable[[Path], None]) -> None:
    """Let ``write`` make a folder, and put it in place only when all of it is on the disk."""

    def sealed(aside: Path) -> None:
        write(aside)
        seal(aside)

    _write_flushed(folder, sealed)


def write_copy(folder: Path, files: Mapping[str, bytes]) -> None:
    """Put a sealed folder in place that was read elsewhere, with the checksums it has."""

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
    """Write the checksums of a folder, and one of the list, which would read as whole where it was
    cut at the end of a line.
    """
    files = (path for path in sorted(folder.iterdir()) if path.is_file() and path.name != MANIFEST)
    lines = "".join(f"{_file_digest(path)}  {path.name}\n" for path in files)
    (folder / MANIFEST).write_bytes(f"{lines}{_SEAL}{_digest(lines.encode())}\n".encode())


def is_sealed(folder: Path) -> bool:
    """Tell whether a folder has checksums; those of before this version have none."""
    return (folder / MANIFEST).is_file()


def changed_file(folder: Path) -> Path | None:
    """Name the first file that is not as it was written, or is gone; None where all are, or nothing
    can tell.
    """
    if not is_sealed(folder):
        return None
    lines = _lines(folder)
    if lines is None:
        return folder / MANIFEST
    files = (folder / name for name in lines)
    return next(
        (file for file in files if not file.is_file() or _file_digest(file) != lines[file.name]),
        None,
    )


def is_whole(folder: Path) -> bool:
    """Tell whether a folder is there, and every byte of it is the one that was written."""
    put_back(folder)
    try:
        return is_sealed(folder) and changed_file(folder) is None
    except OSError:
        return False


def read_whole(folder: str | Path, wanted: str, *, alone: bool = False) -> bytes | None:
    """Read one file of a folder in the same pass that checks every byte of all; None where the
    folder is not whole.

    With ``alone`` only the bytes of that file are checked: enough to trust what it says, not to
    call the run whole.
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
    """Read the checksums by the name of the file; None where the list itself is not whole."""
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
    """Remove what a killed process left beside a folder; for whoever holds the claim on it."""
    for left in folder.parent.glob(f".{folder.name}.*"):
        shutil.rmtree(left, ignore_errors=True)


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _file_digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _flush(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
