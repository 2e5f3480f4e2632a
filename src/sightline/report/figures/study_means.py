"""The table of a study as a figure: one panel a column, one row a setting, with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan, nan
from typing import TYPE_CHECKING

from sightline.core.errors import DataError
from sightline.core.results import Estimate, Table, TableCell
from sightline.report.figures.interval_plot import draw_intervals
from sightline.report.figures.palette import label
from sightline.report.figures.plot import Plot, PlotRow, left_out_note
from sightline.report.tables.table_cells import tests_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MEANS = "means"
"""The name of this figure in a study."""
MOST = 40
"""Rows of a panel that are drawn; the table has all."""
LINES = "Lines: 95 % intervals, over seeds where there are several, else over texts; "
Dots = Sequence[tuple[str, Estimate]]


def means(table: Table) -> Plot:
    """Draw the mean over seeds in each column; columns of words are left out, and cells without a
    number are empty.
    """
    panels = {column: _dots(table, place) for place, column in enumerate(table.columns)}
    shown = {column: dots for column, dots in panels.items() if dots}
    if not shown:
        raise DataError(
            "the figure needs a column with numbers, and this table has none; choose another column"
        )
    left = max(len(dots) for dots in shown.values()) - MOST
    more = left_out_note(left, "row")
    known = any(not isnan(one.low) for dots in shown.values() for _, one in dots)
    lines = LINES if known else "No intervals: the table has none; "
    partial = f" Partial: {table.partial}." if table.partial else ""
    return Plot(
        table.title,
        (f"{lines}n: texts.{more}{partial}",),
        lambda figure: _draw(figure, {column: dots[:MOST] for column, dots in shown.items()}),
        (*table.row_axes, "column", "value", "low", "high", "n", "seeds"),
        [row for place, column in enumerate(table.columns) for row in _rows(table, place, column)],
        0.9 + sum(0.45 + 0.19 * min(len(dots), MOST) for dots in shown.values()),
    )


def _dots(table: Table, place: int) -> Dots:
    return [
        (", ".join(names) or table.title, found)
        for names, cells in zip(table.row_names, table.rows, strict=True)
        if (found := _estimate(cells[place])) is not None
    ]


def _estimate(cell: TableCell) -> Estimate | None:
    if not isinstance(cell.value, float) or cell.value != cell.value:
        return None
    low, high = (nan if end is None else end for end in (cell.low, cell.high))
    return Estimate(cell.value, low, high, cell.n or 0, cell.method)


def _rows(table: Table, place: int, column: str) -> list[PlotRow]:
    return [
        (*names, column, found.value, found.low, found.high, found.n, len(cells[place].seeds))
        for names, cells in zip(table.row_names, table.rows, strict=True)
        if (found := _estimate(cells[place])) is not None
    ]


def _draw(figure: Figure, panels: dict[str, Dots]) -> None:
    heights = [1 + len(dots) for dots in panels.values()]
    every = figure.subplots(len(panels), 1, squeeze=False, height_ratios=heights)[:, 0]
    for place, (axes, (column, dots)) in enumerate(zip(every, panels.items(), strict=True)):
        ends = [end for _, one in dots for end in (one.low, one.value, one.high) if not isnan(end)]
        zero = min(ends) < 0 < max(ends)
        draw_intervals(axes, [(label(name, 48), one) for name, one in dots], place, zero=zero)
        name = "".join(f" ({name})" for name in tests_of([column]).values())
        axes.set_title(label(f"{column}{name}", 60), loc="left", fontsize=8, pad=3)
