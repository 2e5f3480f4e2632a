"""Write the results of a command: lines or JSON on stdout, and files (`sightline.cli.output_checks`
checks their places).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sightline._io.atomic_write import plain, write_bytes
from sightline.cli.os_errors import what_to_do
from sightline.core.errors import StoreError
from sightline.report.sanitize import one_line, visible


def print_lines(lines: Iterable[str]) -> None:
    """Print finished lines on stdout, without characters that a terminal would obey."""
    print("\n".join(map(visible, lines)))


def print_message(message: str) -> None:
    """Print one line on stderr."""
    print(one_line(message), file=sys.stderr)


def note_kept(folder: Path, *, texts: bool, ids: bool) -> None:
    """Note what a saved audit holds that its report leaves out."""
    if not (texts and ids):
        left = " and ".join(what for what, kept in (("texts", texts), ("ids", ids)) if not kept)
        print_message(
            f"note: {folder} holds the {left} that the report leaves out: share the report, "
            "not that folder"
        )


def note_left_out(torn: Sequence[str], *, named: bool = False) -> None:
    """Note how many runs of a store are left out of what is shown, unless they have been named."""
    if torn and not named:
        are = "run is" if len(torn) == 1 else "runs are"
        print_message(
            f"note: {len(torn)} {are} torn or changed and left out; `sightline results --check` "
            "names such runs"
        )


def emit(value: Any) -> None:
    """Print a value as strict JSON on stdout, in plain ASCII, which any terminal and any pipe can
    carry.
    """
    print(json.dumps(plain(value), indent=1, allow_nan=False))


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn an error of the disk into an error that names the place."""
    try:
        yield
    except OSError as error:
        why = error.strerror or error
        raise StoreError(f"cannot write {path}: {why}; {what_to_do(error)}") from error


def write_text(path: Path, text: str) -> None:
    """Write a file completely or not at all, with its line ends unchanged."""
    with writing(path):
        write_bytes(path, text.encode())
