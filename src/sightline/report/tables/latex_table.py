"""A results table in LaTeX."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from sightline.core.results import Table, TableCell
from sightline.report.column_layout import blocks_of, column_widths
from sightline.report.number_format import count, number, span
from sightline.report.sanitize import one_line
from sightline.report.tables.table_cells import (
    Grid,
    Script,
    format_cells,
    heading,
    notes,
    reasons_of,
)

_LINE, _SMALL_LINE, _NAME = 68, 84, 30
"""Characters in a line of 345 pt in 10 pt and in 8 pt print, and in the longest unbroken name."""
# Brackets and star, because after \\ LaTeX would read them as its options.
_LATEX_SIGNS = {
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "`": r"\textasciigrave{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    **{sign: f"\\{sign}" for sign in "{}$&#_%"},
    **{sign: f"{{{sign}}}" for sign in "[]*"},
    "−": "$-$",
    "∞": r"$\infty$",
    "≥": r"$\geq$",
    "≤": r"$\leq$",
    "δ": r"$\delta$",
    "λ": r"$\lambda$",
    "τ": r"$\tau$",
}


def to_latex(table: Table) -> str:
    """Write the table as LaTeX with the package booktabs; the title is the caption.

    Its label is ``tab:`` and the title in small letters, digits and hyphens.

    All LaTeX commands are escaped. Letters beyond Latin need XeLaTeX or LuaLaTeX. Columns that do
    not fit on a line continue below in small print, with the names of the rows; long names break at
    a ``+``.
    """
    reasons = reasons_of(table)
    grid, axes = format_cells(table, _LATEX, reasons), len(table.row_axes)
    widths = [
        min(width, _NAME) if i < axes else width
        for i, width in enumerate(column_widths(_seen(grid)))
    ]
    blocks = blocks_of(widths, axes, _LINE)
    if len(blocks) > 1:
        blocks = blocks_of(widths, axes, _SMALL_LINE)
    lines = ["% \\usepackage{booktabs}", "\\begin{table}", "\\centering"]
    lines += [f"\\caption{{{_latex_word(heading(table))}}}", *_label(table)]
    lines += ["\\footnotesize"] if sum(widths) > _LINE else []
    for index, block in enumerate(blocks):
        lines += ["\\par\\medskip"] if index else []
        lines += _tabular(grid, block, axes)
    lines += [f"\\par {note}" for note in notes(table, _LATEX, reasons)]
    return "\n".join([*lines, "\\end{table}"]) + "\n"


def _label(table: Table) -> list[str]:
    r"""Give the label of the table for ``\ref``; none if its title has no letters or digits."""
    name = re.sub(r"[^a-z0-9]+", "-", table.title.lower()).strip("-")
    return [f"\\label{{tab:{name}}}"] if name else []


def _seen(grid: Grid) -> Grid:
    """Give cells about as wide as they are printed."""
    return [[re.sub(r"\\[a-zA-Z]+|\\,|[{}$\\]", "", cell) for cell in row] for row in grid]


def _tabular(grid: Grid, block: Sequence[int], axes: int) -> list[str]:
    """Write some of the columns; long names of rows get a column in which they break."""
    wide = {i for i in block if i < axes and max(len(row[i]) for row in _seen(grid)) > _NAME}
    kinds = "".join("p{0.35\\linewidth}" if i in wide else "l" for i in block)
    broken = [
        [row[i].replace("+", "+\\allowbreak{}") if i in wide else row[i] for i in block]
        for row in grid
    ]
    head, *rows = (f"{' & '.join(row)} \\\\" for row in broken)
    return [
        f"\\begin{{tabular}}{{{kinds}}}",
        "\\toprule",
        head,
        "\\midrule",
        *rows,
        "\\bottomrule",
        "\\end{tabular}",
    ]


def _latex_word(text: str) -> str:
    escaped = "".join(_LATEX_SIGNS.get(character, character) for character in one_line(text))
    return re.sub("-(?=-)", "-{}", escaped)  # two hyphens, as in a flag, would become a dash


def _latex_figure(value: float, cell: TableCell) -> str:
    parts = [f"${_latex_number(value)}$"]
    if cell.low is not None and cell.high is not None:
        parts += [_latex_span(cell.low, cell.high)]
    parts += [] if cell.sd is None else [f"$\\pm {_latex_number(cell.sd)}$"]
    return " ".join(parts) + ("" if cell.n is None else f", $n = {_grouped(count(cell.n))}$")


def _latex_span(low: float, high: float) -> str:
    if math.isnan(low) or math.isnan(high):
        return _latex_word(span(low, high))
    return f"$[\\,{_latex_number(low)},\\ {_latex_number(high)}\\,]$"


def _latex_number(value: float) -> str:
    return _grouped(number(value)).replace("−", "-").replace("∞", r"\infty ")


def _grouped(digits: str) -> str:
    """Keep LaTeX from adding a space after the comma of thousands, as in a list."""
    return digits.replace(",", "{,}")


_LATEX = Script(_latex_word, _latex_figure, lambda index: f"\\textsuperscript{{{index}}}", "---")
