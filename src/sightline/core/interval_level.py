"""The level of an interval in per cent, as the method of an estimate says it."""

from __future__ import annotations

import re

_NEAR_ONE = 0.9999
"""The level from which on four digits could read 100 %."""
_LEVEL = re.compile(r", (\d+(?:\.\d+)?) % interval")


def percent_of(level: float) -> str:
    """Write a level in per cent, with more digits where four could read 100 %.

    >>> [percent_of(level) for level in (0.95, 0.9833333, 0.99995, 0.999999)]
    ['95', '98.33', '99.995', '99.9999']
    """
    return f"{100 * level:.{4 if level < _NEAR_ONE else 6}g}"


def with_level(method: str, level: float) -> str:
    """Add the level of an interval to its method."""
    return f"{method}, {percent_of(level)} % interval"


def level_in(method: str) -> str:
    """Read the level in per cent back from a method; empty if it has none.

    >>> [level_in(with_level("bootstrap", level)) for level in (0.95, 0.9833333, 0.99995)]
    ['95', '98.33', '99.995']
    >>> level_in("bootstrap")
    ''
    """
    found = _LEVEL.search(method)
    return found[1] if found else ""
