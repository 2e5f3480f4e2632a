"""Files that are read only where they are files, and written whole or not at all; values fit for strict JSON."""

from __future__ import annotations

import io
import math
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from sightline.bounds import Bound
from sightline.errors import DataError

_KINDS: Mapping[Callable[[int], bool], str] = {
    stat.S_ISCHR: "a device",
    stat.S_ISBLK: "a device",
    stat.S_ISFIFO: "a pipe",
    stat.S_ISSOCK: "a socket",
}


def open_regular(path: str | Path, largest: Bound | None = None) -> io.BufferedReader:
    """Open a file somebody named; a device, a pipe or a file above its bound is refused before a byte is read.

    A pipe would wait for ever, a device has no end, and a file with holes promises more than is there. Everything is
    read twice (its bytes name it), which only a file bears.
    """
    about = Path(path).stat()
    if kind := next((name for is_kind, name in _KINDS.items() if is_kind(about.st_mode)), ""):
        raise DataError(f"expected a file, got {kind}; write what it gives to a file, and name that", path)
    if largest is not None and stat.S_ISREG(about.st_mode) and about.st_size > largest.now:
        raise DataError(largest.passed(about.st_size), path)
    return Path(path).open("rb")


@contextmanager
def naming_what_needs_memory(file: str | Path) -> Iterator[None]:
    """Say of which file it is that it does not fit into memory."""
    try:
        yield
    except MemoryError:
        raise DataError("is too large for the memory there is; take a part of it", file) from None


def plain(value: Any) -> Any:
    """Make a value fit for strict JSON: numpy scalars become numbers, NaN and infinities become null."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def write_whole(path: str | Path, write: Callable[[Path], None]) -> Path:
    """Let ``write`` fill a file or folder beside ``path``, then put it in place in one step.

    A reader sees the old content or the new; an interrupted write leaves nothing under the final name.
    """
    final = Path(path)
    final.parent.mkdir(parents=True, exist_ok=True)
    aside = Path(tempfile.mkdtemp(prefix=f".{final.name}.", dir=final.parent))
    try:
        write(aside / "new")
        if final.is_dir():
            final.replace(aside / "old")
        (aside / "new").replace(final)
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    return final
