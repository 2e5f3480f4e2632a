"""What was found, as a message has it: a line holds only so much."""

from __future__ import annotations

from collections.abc import Callable, Sequence

_NAMED = 10
"""As many names of columns, or lines, as help to see which was meant."""


def show(value: object) -> str:
    """Show what was found instead, however long it is."""
    shown = "nothing" if value is None else repr(value)
    return shown if len(shown) <= 60 else shown[:60] + "…"


def listed(names: Sequence[str], shown: Callable[[str], str] = show) -> str:
    """Name what there is, or the first of it and how many more."""
    text = ", ".join(map(shown, names[:_NAMED]))
    return f"{text} and {len(names) - _NAMED:,} more" if len(names) > _NAMED else text
