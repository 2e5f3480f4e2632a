"""Paths that start with ``~``, the home folder."""

from __future__ import annotations

import os
from pathlib import Path


def from_home(path: str | Path) -> Path:
    """Return a path with a leading ``~`` as the home folder; one of an unknown user is left as it is."""
    return Path(written_from_home(str(path)))


def written_from_home(path: str) -> str:
    """Do the same with a path as it is written, which may name a run: all else stays as it is."""
    return os.path.expanduser(path)  # noqa: PTH111  (Path's own fails for unknown users)
