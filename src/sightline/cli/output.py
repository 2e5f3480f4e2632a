"""What a command leaves behind: lines or JSON on stdout, and files (where they may lie:
`sightline.cli.output_checks`).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sightline._io.atomic_write import plain, write_bytes
from sightline._io.checksums import MANIFEST, is_sealed
from sightline.core.errors import StoreError
from sightline.report.sanitize import one_line, visible


def say(lines: Iterable[str]) -> None:
    """Print finished lines on stdout; whoever wrote what is in them, there is nothing that a
    terminal would obey.
    """
    print("\n".join(map(visible, lines)))


def tell(message: str) -> None:
    """Print one line on stderr."""
    print(one_line(message), file=sys.stderr)


def note_unsealed(folder: Path | None) -> None:
    """Say of what an older version saved that nobody can tell whether it was changed."""
    if folder is not None and not is_sealed(folder):
        tell(
            f"note: {folder} has no {MANIFEST}, so nothing tells whether it is as it was "
            "written; save it again"
        )


def note_kept(folder: Path, *, texts: bool, ids: bool) -> None:
    """Say what a saved audit holds that its report leaves out."""
    if not (texts and ids):
        left = " and ".join(what for what, kept in (("texts", texts), ("ids", ids)) if not kept)
        tell(
            f"note: {folder} holds the {left} that the report leaves out: share the report, "
            "not that folder"
        )


def emit(value: Any) -> None:
    """Print a value as strict JSON on stdout, in plain ASCII so that any terminal and any pipe can
    carry it.
    """
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
        write_bytes(path, text.encode())
