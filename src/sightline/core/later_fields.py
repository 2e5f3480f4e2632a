"""Fields added after runs were first named, or audits first saved.

At their defaults they are left out of the JSON of runs and of keys, so old keys stay the same. A
saved audit that lacks them is read with their defaults.
"""

from __future__ import annotations

from dataclasses import Field, fields, is_dataclass
from functools import cache
from typing import Any

LATER = {"later": True}
"""Marks such a field in its metadata."""


@cache
def later_fields(kind: Any) -> dict[str, Any] | None:
    """Give the later fields and their defaults; None for a type without fields."""
    if not is_dataclass(kind):
        return None
    found: tuple[Field[Any], ...] = fields(kind)
    return {one.name: one.default for one in found if one.metadata.get("later")}
