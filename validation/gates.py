"""Gates as a file of results keeps them: of what must be so each time, and of what must stay below
a limit.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from sightline.studies.study_definition import gate


def exactly(name: str, count: int, of: int) -> dict[str, Any]:
    """Say how often something was so, of how often it had to be."""
    return gate(name, count, of, f"= {of}", holds=count == of)


def every(name: str, held: Collection[bool]) -> dict[str, Any]:
    """Say how often something was so that had to be each time."""
    return exactly(name, sum(held), len(held))


def under(name: str, found: int, limit: int) -> dict[str, Any]:
    """Say what was found of what has to stay below a limit."""
    return gate(name, found, limit, f"< {limit:,}", holds=found < limit)
