"""Sealed folders: written aside, flushed to the disk, renamed into place, and checked against their checksums.

A folder that was cut short by a crash, or changed by a bad disk, is told from a whole one: it is done again.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

from sightline.archive import write_whole

MANIFEST = "manifest.json"


def write_sealed(folder: Path, write: Callable[[Path], None]) -> None:
    """Let ``write`` make a folder, and put it in place only when all of it is on the disk."""

    def sealed(aside: Path) -> None:
        write(aside)
        files = {path.name: _checksum(path) for path in sorted(aside.iterdir())}
        manifest = {"files": files, "seal": _digest(json.dumps(files, sort_keys=True).encode())}
        (aside / MANIFEST).write_text(json.dumps(manifest), encoding="utf-8")
        for path in (*aside.iterdir(), aside):
            _flush(path)

    write_whole(folder, sealed)
    _flush(folder.parent)


def is_whole(folder: Path) -> bool:
    """Tell whether a folder is there, and every byte of it is the one that was written."""
    try:
        manifest = json.loads((folder / MANIFEST).read_bytes())
        files: dict[str, str] = manifest["files"]
        if manifest["seal"] != _digest(json.dumps(files, sort_keys=True).encode()):
            return False
        return all(_checksum(folder / name) == checksum for name, checksum in files.items())
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return False


def sweep_aside(folder: Path) -> None:
    """Remove what a killed process left beside a folder; for whoever holds the claim on it."""
    for left in folder.parent.glob(f".{folder.name}.*"):
        shutil.rmtree(left, ignore_errors=True)


def _checksum(path: Path) -> str:
    return _digest(path.read_bytes())


def _digest(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def _flush(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
