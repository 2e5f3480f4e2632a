"""Fields that came after runs had been named: at their defaults they are left out of JSON and of
keys, which stay.
"""

from __future__ import annotations

from dataclasses import Field, fields, is_dataclass
from functools import cache
from typing import Any

LATER = {"later": True}
"""Marks such a field, as its metadata."""


@cache
def later_fields(kind: Any) -> dict[str, Any] | None:
    """Give the fields that came later, and the value of each that says nothing new; None for what
    has no fields.
    """
    if not is_dataclass(kind):
        return None
    found: tuple[Field[Any], ...] = fields(kind)
    return {one.name: one.default for one in found if one.metadata.get("later")}
