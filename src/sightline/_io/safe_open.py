"""Open the user's files safely, or identify them by their bytes: regular files only, up to a size
bound.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from sightline._io.atomic_write import kind
from sightline._io.limits import Bound
from sightline.core.errors import DataError


def open_regular(path: str | Path, largest: Bound | None = None) -> io.BufferedReader:
    """Open a file that the user named; a device, a pipe or a file above its bound is refused before
    reading.

    A pipe would block, a device has no end, and a sparse file claims more bytes than it has. Every
    file is read twice (its bytes name it), which only regular files allow.
    """
    about = Path(path).stat()
    if (found := kind(about.st_mode)) not in ("file", "folder"):
        raise DataError(
            f"expected a file, got a {found}; save its content to a file, and name that file", path
        )
    if largest is not None and found == "file" and about.st_size > largest.now:
        raise DataError(largest.passed(about.st_size), path)
    return Path(path).open("rb")


def file_digest(path: str | Path, largest: Bound | None = None) -> str:
    """Give the SHA-256 of a file's bytes, which identifies it."""
    with open_regular(path, largest) as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def joint_digest(digests: Iterable[tuple[str, str]]) -> str:
    """Give one SHA-256 of the names of files and their digests, which identifies them together."""
    total = hashlib.sha256()
    for name, digest in digests:
        total.update(f"{name}\n{digest}\n".encode())
    return total.hexdigest()


@contextmanager
def naming_what_needs_memory(file: str | Path) -> Iterator[None]:
    """Turn a MemoryError, which has no message, into an error that names the file."""
    try:
        yield
    except MemoryError:
        raise DataError("is too large for the memory there is; take a part of it", file) from None
