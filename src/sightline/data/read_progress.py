"""Report the progress of reading a large file to a callback.

Readers are far below the code that shows progress, and their results are cached by their arguments.
So the callback cannot be an argument: it would become part of the cache key.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

Watch = Callable[[str, int, int], None]
"""Called with the stage in words, the amount done, and the total."""
LARGE = 2**25
"""From this number of bytes on, reading a file takes seconds."""
_watching: list[Watch] = []


@contextmanager
def watch_progress(watch: Watch) -> Iterator[None]:
    """Report progress to ``watch`` inside this context."""
    _watching.append(watch)
    try:
        yield
    finally:
        _watching.remove(watch)


def is_large(file: str | Path) -> bool:
    """Tell whether reading a file takes long enough to report progress; a data frame is in memory
    already.
    """
    place = Path(file)
    return place.is_file() and place.stat().st_size >= LARGE


def report_progress(stage: str, done: int, total: int) -> None:
    """Call the callback, if one is set."""
    for watch in _watching:
        watch(stage, done, total)
