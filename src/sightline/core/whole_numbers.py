"""Check whole numbers that a user gives in Python."""

from __future__ import annotations

from operator import index
from typing import Any

from sightline.core.errors import SpecError


def whole(value: Any, field: str, least: int | None = None) -> int:
    """Return a whole number, of numpy too, as Python's own; anything else, or one below ``least``,
    is an error.

    >>> whole(3, "limit", 1)
    3
    """
    try:
        number = None if isinstance(value, bool) else index(value)
    except TypeError:
        number = None
    if number is None or (least is not None and number < least):
        bound = "" if least is None else f" from {least}"
        raise SpecError(f"expected a whole number{bound}, got {value!r:.60}", field=field)
    return number
