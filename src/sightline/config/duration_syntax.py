"""Durations as people type them: ``90``, ``90s``, ``5m``, ``1.5h``."""

from __future__ import annotations

import re

_TYPED = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(s|m|min|h)?\s*")
_SECONDS = {"s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}


def read_duration(text: str) -> float | None:
    """Read a duration as seconds; None if the text is not a duration.

    >>> read_duration("5m"), read_duration("1.5h"), read_duration("90"), read_duration("soon")
    (300.0, 5400.0, 90.0, None)
    """
    found = _TYPED.fullmatch(text)
    return None if found is None else float(found[1]) * _SECONDS[found[2] or "s"]
