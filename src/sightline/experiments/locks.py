"""Claims let several processes work on one store without collisions or repeated work.

A claim is a lock on a file, which the system releases when its process ends, however it ends.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from sightline.core.errors import StoreError


@contextmanager
def claim(file: Path, *, wait: bool) -> Iterator[bool]:
    """Lock a file and yield whether that succeeded; with ``wait``, wait until the current holder is
    done.

    A file that cannot be locked is a `StoreError`: the work itself did not fail.
    """
    # A lock of the system is released when its process is killed. A file with a time in it would
    # need a clock that all machines share (decision 0016).
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
