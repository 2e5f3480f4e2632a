"""The file of a count that resumes: one JSON object a line."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def read_lines(file: Path) -> list[dict[str, Any]]:
    """Read the existing lines."""
    if not file.exists():
        return []
    return [json.loads(one) for one in file.read_text(encoding="utf-8").splitlines()]


def add_line(file: Path, row: Mapping[str, Any]) -> None:
    """Add a line."""
    with file.open("a", encoding="utf-8") as out:
        out.write(f"{json.dumps(row)}\n")
