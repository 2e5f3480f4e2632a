"""Files that others wrote: opened only where they are files, and no larger than their bound."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sightline._io.atomic_write import kind
from sightline._io.limits import Bound
from sightline.core.errors import DataError


def open_regular(path: str | Path, largest: Bound | None = None) -> io.BufferedReader:
    """Open a file somebody named; a device, a pipe or a file above its bound is refused before a
    byte is read.

    A pipe would wait for ever, a device has no end, and a file with holes promises more than is
    there. Everything is read twice (its bytes name it), which only a file bears.
    """
    about = Path(path).stat()
    if (found := kind(about.st_mode)) not in ("file", "folder"):
        raise DataError(
            f"expected a file, got a {found}; write what it gives to a file, and name that", path
        )
    if largest is not None and found == "file" and about.st_size > largest.now:
        raise DataError(largest.passed(about.st_size), path)
    return Path(path).open("rb")


@contextmanager
def naming_what_needs_memory(file: str | Path) -> Iterator[None]:
    """Name the file in a MemoryError, which says nothing by itself."""
    try:
        yield
    except MemoryError:
        raise DataError("is too large for the memory there is; take a part of it", file) from None
