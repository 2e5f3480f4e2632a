"""Durations in words, rounded to the precision of an estimate."""

from __future__ import annotations


def span(least: float, most: float) -> str:
    """Write a range of durations.

    >>> span(110, 143), span(110, 200)
    ('about 2 min', '2 min to 3 min')
    """
    shortest, longest = duration(least), duration(most)
    return f"about {longest}" if shortest == longest else f"{shortest} to {longest}"


def duration(seconds: float) -> str:
    """Write a duration, rounded to the precision of an estimate.

    >>> [duration(s) for s in (0.4, 48.2, 500, 9000)]
    ['1 s', '48 s', '8 min', '2.5 h']
    """
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    return f"{seconds / 60:.0f} min" if seconds < 90 * 60 else f"{seconds / 3600:.1f} h"
