"""Which files of a folder or an archive a published corpus is in; what is missing is named."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from sightline._io.limits import FILE, Bound
from sightline.core.errors import DataError
from sightline.data.readers.archives import File, Wanted, open_files

AGAIN = "fetch the file again"
"""What to do where a published file is not as published."""


def found_files(
    path: str, wanted: Wanted, expected: str, largest: Bound | None = FILE
) -> Iterable[File]:
    """Open the wanted files; none at all is an error that says what was expected and where it was
    looked for.
    """
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
    """Refuse a corpus of which a needed file is missing; the error names what is expected, found
    and missing.
    """
    there = list(found)
    if missing := [name for name in needed if name not in there]:
        raise DataError(
            f"expected {expected}, plain or .gz; found {', '.join(there)}, no {missing[0]}", path
        )


def whole_or_parts(names: Iterable[str], whole: str, part: str) -> list[str]:
    """Choose the whole file where it is there, else every part, by name; both are regular
    expressions.
    """
    there = list(names)
    chosen = [name for name in there if re.search(whole, name)]
    return chosen or sorted(name for name in there if re.search(part, name))


def base(name: str) -> str:
    """Give the last part of a name."""
    return Path(name).name
