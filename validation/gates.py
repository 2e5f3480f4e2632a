"""Gates for a file of results: conditions that must hold each time, and numbers that must stay
below a limit.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from sightline.studies.study_definition import gate


def exactly(name: str, count: int, of: int) -> dict[str, Any]:
    """Make a gate of how often something held, out of how often it had to."""
    return gate(name, count, of, f"= {of}", holds=count == of)


def every(name: str, held: Collection[bool]) -> dict[str, Any]:
    """Make a gate of something that must hold each time."""
    return exactly(name, sum(held), len(held))


def under(name: str, found: int, limit: int) -> dict[str, Any]:
    """Make a gate of a number that must stay below a limit."""
    return gate(name, found, limit, f"< {limit:,}", holds=found < limit)
