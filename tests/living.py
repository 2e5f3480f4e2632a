"""Which processes live, as Linux tells it, and how to wait for what they do."""

import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path


def wait_for(reached: Callable[[], bool], seconds: float = 120) -> None:
    """Look again and again until something is so, or the seconds are over."""
    end = time.monotonic() + seconds
    while not reached() and time.monotonic() < end:
        time.sleep(0.01)


def workers_of(parent: int) -> list[int]:
    """Find the workers of a process; the helper process of multiprocessing is not one."""
    children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    return [
        int(child)
        for child in children
        if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()
    ]


def lives(process: int) -> bool:
    """Tell whether a process still runs; one that only waits to be asked for its exit code does
    not.

    Its threads are asked, too: when the first of a killed process has ended, others may still, and
    hold its locks.
    """
    return any(map(_runs, Path(f"/proc/{process}/task").glob("*")))


def told(process: int, name: str) -> str:
    """Read a file that Linux keeps of a process. When the first thread of a killed one has ended,
    only those that are left know it.
    """
    for thread in Path(f"/proc/{process}/task").glob("*"):
        with suppress(OSError):
            if found := (thread / name).read_text(errors="replace"):
                return found
    return ""


def _runs(thread: Path) -> bool:
    try:
        return (thread / "stat").read_text().rpartition(")")[2].split()[0] not in ("Z", "X")
    except OSError:
        return False
