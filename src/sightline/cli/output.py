"""What a command leaves behind: lines or JSON on stdout, and files whose places are checked before any work."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sightline.errors import SpecError, StoreError
from sightline.files import plain, write_whole
from sightline.report.visible import one_line, visible


def say(lines: Iterable[str]) -> None:
    """Print finished lines on stdout; whoever wrote what is in them, there is nothing that a terminal would obey."""
    print("\n".join(map(visible, lines)))


def tell(message: str) -> None:
    """Print one line on stderr."""
    print(one_line(message), file=sys.stderr)


def emit(value: Any) -> None:
    """Print a value as strict JSON on stdout, in plain ASCII so that any terminal and any pipe can carry it."""
    print(json.dumps(plain(value), indent=1, allow_nan=False))


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn what the disk refuses into an error that names the place."""
    try:
        yield
    except OSError as error:
        raise StoreError(f"cannot write {path}: {error.strerror or error}") from error


def write_text(path: Path, text: str) -> None:
    """Write a file whole, its line ends as they are."""
    with writing(path):
        write_whole(path, lambda aside: _write(aside, text))


def _write(path: Path, text: str) -> None:
    path.write_bytes(text.encode())


def check_file(path: Path, flag: str = "--out") -> None:
    """Refuse a place where a file cannot be written, before hours are spent on its content."""
    with writing(path):
        if path.is_dir():
            raise StoreError(f"{flag} {path}: expected the name of a file, got a folder")
        _check_parent(path, flag)


def check_folder(path: Path, marker: str, what: str, flag: str = "--out") -> None:
    """Refuse a place where a folder cannot be written; one that holds ``marker`` is ours and may be replaced."""
    with writing(path):
        if path.exists() and not (path / marker).is_file():
            raise StoreError(f"{flag} {path}: exists and is not {what}; name a new folder")
        _check_parent(path, flag)


def _check_parent(path: Path, flag: str) -> None:
    parent = next(folder for folder in path.absolute().parents if folder.exists())
    if not parent.is_dir():
        raise StoreError(f"{flag} {path}: {parent} is a file, not a folder")
    if not os.access(parent, os.W_OK | os.X_OK):
        raise StoreError(f"{flag} {path}: no permission to write in {parent}")


def check_apart(places: Mapping[str, Path | None]) -> None:
    """Refuse two flags that name the same place: one would overwrite the other, or the data themselves."""
    taken: dict[Path, str] = {}
    for flag, path in places.items():
        if path is None:
            continue
        if (other := taken.setdefault(path.resolve(), flag)) != flag:
            raise SpecError(f"{other} and {flag} both name {path}; give them different names")
