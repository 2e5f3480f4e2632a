"""Shorten values for error messages of one line, or leave them out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

_NAMED = 10
"""The most column names, or lines, listed in a message."""
LEFT_OUT = "not shown"
"""What a message says of every value that it leaves out."""
NOT_SHOWN = f"[{LEFT_OUT}]"
"""Stands for a value of a file."""
_LEFT_OUT: ContextVar[bool] = ContextVar("left out", default=False)


@contextmanager
def without_excerpts(*, active: bool = True) -> Iterator[None]:
    """Leave out what a file holds from the errors of this context: a cell may be a patient's note.

    The file, the line and the column are named all the same.
    """
    before = _LEFT_OUT.set(active)
    try:
        yield
    finally:
        _LEFT_OUT.reset(before)


def show(value: object) -> str:
    """Show a value of a file, shortened, unless values are left out. A label that is no class of the
    model is such a value, too.
    """
    return NOT_SHOWN if left_out() else show_name(value)


def show_id(name: str) -> str:
    """Show the id of a text, unless values of files are left out: it may be a patient's."""
    return NOT_SHOWN if left_out() else name


def left_out() -> bool:
    """Whether values of files are left out of the errors of this context."""
    return _LEFT_OUT.get()


def show_name(value: object) -> str:
    """Show the name of a class or of a column, shortened: reports have these in any case."""
    return shortened("nothing" if value is None else repr(value))


def shortened(text: str, length: int = 61) -> str:
    """Cut a text at ``length`` characters, and mark the cut."""
    return text if len(text) <= length else text[: length - 1] + "…"


def list_names(
    names: Sequence[str], shown: Callable[[str], str] = show_name, most: int = _NAMED
) -> str:
    """List names, or the first ones and the number of further ones."""
    text = ", ".join(map(shown, names[:most]))
    return f"{text} and {len(names) - most:,} more" if len(names) > most else text


def list_values(noun: str, values: Sequence[str]) -> str:
    """List values of a file behind their noun, or count them where they are left out.

    >>> list_values("label", ["yes", "no"])
    "the labels 'yes', 'no'"
    >>> with without_excerpts():
    ...     list_values("label", ["yes", "no"])
    '2 labels that are not shown'
    """
    plural, are = (noun, "is") if len(values) == 1 else (f"{noun}s", "are")
    if left_out():
        return f"{len(values):,} {plural} that {are} {LEFT_OUT}"
    return f"the {plural} {list_names(values)}"
