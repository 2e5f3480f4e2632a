"""How far the reading of a large file is, for whoever watches.

Readers lie deep below what shows it, and what they give is kept in memory by what was asked for: a
callback among their arguments would be asked for, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

Watch = Callable[[str, int, int], None]
"""Told of a stage in words, how much of it is done, and how much there is."""
LARGE = 2**25
"""Bytes from which on a file takes seconds."""
_watching: list[Watch] = []


@contextmanager
def watched(watch: Watch) -> Iterator[None]:
    """Tell somebody what is read meanwhile."""
    _watching.append(watch)
    try:
        yield
    finally:
        _watching.remove(watch)


def is_large(file: str | Path) -> bool:
    """Tell whether a file takes long enough for anybody to ask how far it is; a data frame is in
    memory already.
    """
    place = Path(file)
    return place.is_file() and place.stat().st_size >= LARGE


def report_progress(stage: str, done: int, total: int) -> None:
    """Tell whoever watches."""
    for watch in _watching:
        watch(stage, done, total)
