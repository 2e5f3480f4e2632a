"""Claims: which process works on what, so that several on one store neither collide nor do the same
work twice.

A claim is a lock on a file, which the system takes back when its process ends, however it ends.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from sightline.core.errors import StoreError


@contextmanager
def claim(file: Path, *, wait: bool) -> Iterator[bool]:
    """Hold the lock on a file, and say whether it was had; ``wait`` until whoever holds it is done.

    A place that cannot be locked is a `StoreError`: it is no fault of the work that was to be done
    there.
    """
    # A lock of the system, which a killed process gives back; a file with a time in it would need a
    # clock that all machines share (decision 0016).
    lock = FileLock(file, timeout=-1 if wait else 0, is_singleton=False, thread_local=False)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        lock.acquire()
    except Timeout:
        yield False
        return
    except (OSError, NotImplementedError) as error:
        raise StoreError(
            f"{file}: cannot be locked ({error}); use a store that can be written"
        ) from error
    try:
        yield True
    finally:
        lock.release()
