"""Files that are written whole or not at all, and values fit for strict JSON."""

from __future__ import annotations

import math
import shutil
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np


def plain(value: Any) -> Any:
    """Make a value fit for strict JSON: numpy scalars become numbers, NaN and infinities become null."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def write_whole(path: str | Path, write: Callable[[Path], None]) -> Path:
    """Let ``write`` fill a file or folder beside ``path``, then put it in place in one step.

    A reader sees the old content or the new; an interrupted write leaves nothing under the final name.
    """
    final = Path(path)
    final.parent.mkdir(parents=True, exist_ok=True)
    aside = Path(tempfile.mkdtemp(prefix=f".{final.name}.", dir=final.parent))
    try:
        write(aside / "new")
        if final.is_dir():
            final.replace(aside / "old")
        (aside / "new").replace(final)
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    return final
