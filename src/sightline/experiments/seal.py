"""Sealed folders: written aside, flushed to the disk, renamed into place, and checked against their checksums.

A folder that was cut short by a crash, or changed by a bad disk, is told from a whole one: it is done again.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable
from pathlib import Path

from sightline.files import put_back, write_whole

MANIFEST = "SHA256SUMS"
"""A line for each file, as `sha256sum -c SHA256SUMS` reads it, and a last one that seals the lines themselves."""
_SEAL = "# seal "


def write_sealed(folder: Path, write: Callable[[Path], None]) -> None:
    """Let ``write`` make a folder, and put it in place only when all of it is on the disk."""

    def sealed(aside: Path) -> None:
        write(aside)
        lines = "".join(f"{_digest(path.read_bytes())}  {path.name}\n" for path in sorted(aside.iterdir()))
        (aside / MANIFEST).write_bytes(f"{lines}{_SEAL}{_digest(lines.encode())}\n".encode())
        for path in (*aside.iterdir(), aside):
            _flush(path)

    write_whole(folder, sealed)
    _flush(folder.parent)


def is_whole(folder: Path) -> bool:
    """Tell whether a folder is there, and every byte of it is the one that was written."""
    return read_whole(folder, MANIFEST) is not None


def read_whole(folder: str | Path, wanted: str, *, alone: bool = False) -> bytes | None:
    """Read one file of a folder in the same pass that checks every byte of all; None where the folder is not whole.

    With ``alone`` only the bytes of that file are checked: enough to trust what it says, not to call the run whole.
    """
    place = Path(folder)
    put_back(place)
    try:
        manifest = (place / MANIFEST).read_bytes()
        lines, seal = manifest.decode().split(_SEAL)
        if seal != f"{_digest(lines.encode())}\n":
            return None
        content = manifest if wanted == MANIFEST else None
        for line in lines.splitlines():
            checksum, name = line.split("  ", 1)
            if alone and name != wanted:
                continue
            read = (place / name).read_bytes()
            if _digest(read) != checksum:
                return None
            content = read if name == wanted else content
        return content
    except (OSError, ValueError):
        return None


def sweep_aside(folder: Path) -> None:
    """Remove what a killed process left beside a folder; for whoever holds the claim on it."""
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
