"""Claims: which process works on what, so that several on one store neither collide nor do the same work twice.

A claim is a lock on a file, which the system takes back when its process ends, however it ends.
"""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def claim(file: Path, *, wait: bool) -> Iterator[bool]:
    """Hold the lock on a file, and say whether it was had; ``wait`` until whoever holds it is done."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            yield False
            return
        yield True
