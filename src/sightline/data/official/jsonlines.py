"""One JSON object on each line, as SNLI and ERASER are published."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from sightline.data.archives import File
from sightline.errors import DataError


def read_objects(file: File) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield each object with its line; an empty line is passed over, anything else is an error."""
    for number, line in file.lines():
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise DataError(
                f"expected a JSON object on each line, got broken JSON: {error}", file.shown, number
            ) from None
        if not isinstance(value, dict):
            raise DataError(f"expected a JSON object on each line, got a {type(value).__name__}", file.shown, number)
        yield number, value
