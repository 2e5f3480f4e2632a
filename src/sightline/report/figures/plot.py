"""A figure before it is drawn: its words, its drawing function, and the table of its numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sightline.config.measure_registry import quantity_of
from sightline.core.errors import DataError
from sightline.core.needs import UNASKED
from sightline.core.results import Measurement, NotRun, Outcome, Results, Values
from sightline.report.number_format import count, count_phrase

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Cell = str | int | float
PlotRow = tuple[Cell, ...]
WIDTH = 6.5
"""Inches: the text width of a paper's page."""


@dataclass(frozen=True)
class Plot:
    """A figure: its title, its notes, its drawing function, and a table with everything drawn."""

    title: str
    notes: tuple[str, ...]
    draw: Callable[[Figure], None]
    columns: tuple[str, ...]
    rows: Sequence[PlotRow]
    height: float = 3.4


def left_out_note(number: int, what: str) -> str:
    """Say in a note how many were not drawn; empty if all were.

    >>> left_out_note(1, "model"), left_out_note(0, "model")
    (' 1 more model is in the table alone.', '')
    """
    if number < 1:
        return ""
    return f" {count_phrase(number, f'more {what}')} {'is' if number == 1 else 'are'} in the table alone."


def needed(audit: Results, name: str) -> Values:
    """Give the raw numbers of a figure, ``measure.quantity``; an audit without them is an error
    that says why.
    """
    code, _, quantity = name.partition(".")
    found = audit.measurements.get(code)
    if isinstance(found, Measurement) and quantity in found.values:
        return found.values[quantity]
    why = _why_not(found, code, quantity)
    known = quantity_of(code, quantity)
    what = name if known is None else f"{known.description.partition(';')[0]} ({name})"
    raise DataError(
        f"the figure needs {what}, which this audit does not have ({why}); choose another figure"
    )


def _why_not(found: Outcome | None, code: str, quantity: str) -> str:
    """Say why an audit lacks a quantity."""
    if isinstance(found, Measurement):
        return found.missing.get(quantity, "not measured")
    if found is None:
        return f"{code}: {UNASKED}"
    return f"{code}: {found.reason if isinstance(found, NotRun) else found.error}"


def drawn_note(drawn: int, texts: int, lacks: str) -> str:
    """Say how many texts are drawn, and what the others lack.

    >>> drawn_note(1199, 1200, "no such number"), drawn_note(3, 3, "no such number")
    ('n = 1,199 texts; 1 more has no such number.', 'n = 3 texts.')
    """
    left = texts - drawn
    more = f"; {count(left)} more {'has' if left == 1 else 'have'} {lacks}" if left else ""
    return f"n = {count(drawn)} {'text' if drawn == 1 else 'texts'}{more}."
