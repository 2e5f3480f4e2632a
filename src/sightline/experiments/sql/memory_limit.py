"""Limit the memory of a query, and hold its process to the limit."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

SHARE = 2
"""A query may take this fraction (one part in so many) of the free memory."""
_LEAST = 2**28
_OWN = 2**28
"""What the process needs for any query: audits that are read, threads, a connection to DuckDB."""
_UNKNOWN = 2**30
"""Used if the system does not say how much memory is free."""
_PROC = Path("/proc")
_GROUP = Path("/sys/fs/cgroup")


def usual_memory() -> int:
    """Return the default memory of a query: half of what is free, at least 256 MiB."""
    free = min(_of_the_machine(), _of_the_group())
    return max(_LEAST, free // SHARE)


def limit_memory(memory: int) -> None:
    """Make the system refuse this process more than ``memory`` bytes beyond 256 MiB and its current
    use.

    DuckDB's own limit does not cover a text that one function makes. Linux counts what a process
    could write to; other systems may count nothing here, and only DuckDB's limit remains.
    """
    with suppress(ImportError, OSError, ValueError):
        import resource  # noqa: PLC0415  (not on Windows)

        most = _field(_PROC / "self" / "status", "VmData") + _OWN + memory
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))


def _of_the_machine() -> int:
    with suppress(OSError, ValueError):
        return _field(_PROC / "meminfo", "MemAvailable")
    with suppress(AttributeError, OSError, ValueError):
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return SHARE * _UNKNOWN


def _of_the_group() -> int:
    """Return the memory that the control group of this process allows, as in a container; very much
    if it has no limit.
    """
    for name in ("memory.max", "memory/memory.limit_in_bytes"):
        with suppress(OSError, ValueError):  # `max` is no number
            return int((_GROUP / name).read_text())
    return 2**62


def _field(file: Path, name: str) -> int:
    """Read a size in kilobytes from a file of /proc."""
    for line in file.read_text(encoding="ascii", errors="replace").splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) * 1024
    raise ValueError(f"{file} has no {name}")
