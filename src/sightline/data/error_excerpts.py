"""Shorten values for error messages of one line."""

from __future__ import annotations

from collections.abc import Callable, Sequence

_NAMED = 10
"""The most column names, or lines, listed in a message."""


def show(value: object) -> str:
    """Show an unexpected value, shortened."""
    shown = "nothing" if value is None else repr(value)
    return shown if len(shown) <= 60 else shown[:60] + "…"


def list_names(names: Sequence[str], shown: Callable[[str], str] = show) -> str:
    """List names, or the first ones and the number of further ones."""
    text = ", ".join(map(shown, names[:_NAMED]))
    return f"{text} and {len(names) - _NAMED:,} more" if len(names) > _NAMED else text
