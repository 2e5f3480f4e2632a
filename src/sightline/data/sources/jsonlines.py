"""One JSON object on each line, as SNLI and ERASER are published."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sightline.data.sources.packed import File
from sightline.data.sources.rows import read_object


def read_objects(file: File) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield each object with its line; an empty line is passed over, anything else is an error."""
    for number, line in file.lines():
        if line.strip():
            yield number, read_object(file.shown, number, line)
