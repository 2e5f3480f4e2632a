"""Find the files of a published corpus in a folder or an archive; errors name missing files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from sightline._io.limits import FILE, Bound
from sightline.core.errors import DataError
from sightline.data.readers.archives import File, FileFilter, open_files

AGAIN = "fetch the file again"
"""The advice if a published file is damaged."""


def named_like(pattern: re.Pattern[str]) -> Callable[[Mapping[str, Any]], FileFilter]:
    """Make a filter, the same for all options, of files by the last part of their names."""

    def wanted(options: Mapping[str, Any]) -> FileFilter:
        return lambda name: pattern.match(base(name)) is not None

    return wanted


def found_files(
    path: str, wanted: FileFilter, expected: str, largest: Bound | None = FILE
) -> Iterable[File]:
    """Open the wanted files; if there are none, the error names the expected files and the place."""
    nothing = True
    for file in open_files(path, wanted, largest):
        nothing = False
        yield file
    if nothing:
        raise DataError(
            f"expected {expected}, plain or .gz, in this folder or archive; found none of them",
            path,
        )


def check_complete(path: str, needed: Iterable[str], found: Iterable[str], expected: str) -> None:
    """Refuse a corpus with missing files; the error names the expected, found and missing ones."""
    there = list(found)
    if missing := [name for name in needed if name not in there]:
        raise DataError(
            f"expected {expected}, plain or .gz; found {', '.join(there)}, no {missing[0]}", path
        )


def whole_or_parts(names: Iterable[str], whole: str, part: str) -> list[str]:
    """Select the whole file if it exists, else all parts; both patterns are regular expressions."""
    there = list(names)
    chosen = [name for name in there if re.search(whole, name)]
    return chosen or sorted(name for name in there if re.search(part, name))


def base(name: str) -> str:
    """Give the last part of a name."""
    return Path(name).name
