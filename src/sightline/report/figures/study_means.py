"""The table of a study as a figure: one panel a column, one row a setting, with intervals."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from math import isnan, nan
from typing import TYPE_CHECKING

from sightline.core.errors import DataError
from sightline.core.results import Estimate, Table, TableCell
from sightline.report.figures.interval_plot import draw_intervals
from sightline.report.figures.palette import label
from sightline.report.figures.plot import Plot, PlotRow, left_out_note
from sightline.report.sanitize import one_line
from sightline.report.tables.table_cells import tests_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MEANS = "means"
"""The name of this figure in a study."""
MOST = 40
"""Rows of a panel that are drawn; the table has all."""
LINES = "Lines: 95 % intervals, over seeds where there are several, else over texts; "
PIECE = re.compile(r".{1,48}(?:(?<=[+,/ ])|$)|.{1,48}")
"""A line of a row's name, which ends where a spec may be broken if it can."""
NAME_LINES = 4
"""Lines of a value in a row's name; the middle of a longer one is left out."""
Dots = Sequence[tuple[str, Estimate]]


def means(table: Table) -> Plot:
    """Draw the mean over seeds in each column; columns of words are left out, and cells without a
    number are empty.
    """
    names, shared = _row_names(table)
    panels = {column: _dots(table, names, place) for place, column in enumerate(table.columns)}
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
    drawn = {column: dots[:MOST] for column, dots in shown.items()}
    step = 0.06 + 0.13 * max(name.count("\n") + 1 for dots in drawn.values() for name, _ in dots)
    return Plot(
        table.title,
        (f"{shared}{lines}n: texts{_seeds_note(table)}.{more}{partial}",),
        lambda figure: _draw(figure, drawn, step),
        (*table.row_axes, "column", "value", "low", "high", "n", "seeds"),
        [row for place, column in enumerate(table.columns) for row in _rows(table, place, column)],
        0.9 + sum(0.45 + step * len(dots) for dots in drawn.values()),
    )


def _row_names(table: Table) -> tuple[list[str], str]:
    """Name each row by the axes on which rows differ, so that no two rows have one name, and say
    in a note what all rows share.
    """
    axes = range(len(table.row_axes))
    same = {
        place
        for place in axes
        if len(table.rows) > 1 and len({n[place] for n in table.row_names}) < 2
    }
    names = [
        _on_lines([name for place, name in enumerate(row) if place not in same]) or table.title
        for row in table.row_names
    ]
    twice = Counter(names)
    names = [
        f"row {row}: {name}" if twice[name] > 1 else name for row, name in enumerate(names, start=1)
    ]
    shared = ", ".join(label(table.row_names[0][place], 200) for place in sorted(same))
    return names, f"All rows: {shared}. " if shared else ""


def _on_lines(values: Sequence[str]) -> str:
    """Write the values of a row on one line if they fit, else each on lines of its own."""
    lines = PIECE.findall(one_line(", ".join(values)))
    if len(lines) < 2:
        return "".join(lines)
    each = [PIECE.findall(one_line(value)) for value in values]
    cut = [
        one if len(one) <= NAME_LINES else [*one[: NAME_LINES // 2], "…", *one[-NAME_LINES // 2 :]]
        for one in each
    ]
    return "\n".join(line for one in cut for line in one)


def _seeds_note(table: Table) -> str:
    """Say over how many seeds the drawn numbers are; empty if the table does not know."""
    found = {len(one.seeds) for cells in table.rows for one in cells if _estimate(one) is not None}
    counts = sorted(found - {0})
    if not counts:
        return ""
    return f"; {' or '.join(map(str, counts))} seed{'' if counts == [1] else 's'} a row"


def _dots(table: Table, names: Sequence[str], place: int) -> Dots:
    return [
        (name, found)
        for name, cells in zip(names, table.rows, strict=True)
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


def _draw(figure: Figure, panels: dict[str, Dots], step: float) -> None:
    heights = [0.19 + step * len(dots) for dots in panels.values()]
    every = figure.subplots(len(panels), 1, squeeze=False, height_ratios=heights)[:, 0]
    for place, (axes, (column, dots)) in enumerate(zip(every, panels.items(), strict=True)):
        ends = [end for _, one in dots for end in (one.low, one.value, one.high) if not isnan(end)]
        zero = min(ends) < 0 < max(ends)
        draw_intervals(axes, dots, place, zero=zero)
        name = "".join(f" ({name})" for name in tests_of([column]).values())
        axes.set_title(label(f"{column}{name}", 60), loc="left", fontsize=8, pad=3)
