"""Gates of what has to be counted exactly, as a file of results keeps them."""

from __future__ import annotations

from typing import Any

from sightline.studies.study import gate


def exactly(name: str, count: int, of: int) -> dict[str, Any]:
    """Say how often something was so, of how often it had to be."""
    return gate(name, count, of, f"= {of}", holds=count == of)


def under(name: str, found: int, limit: int) -> dict[str, Any]:
    """Say what was found of what has to stay below a limit."""
    return gate(name, found, limit, f"< {limit:,}", holds=found < limit)
