"""A results table in LaTeX."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence

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
_PAGE, _HEAD = 40, 3
"""Lines of 10 pt print that a float may fill, since LaTeX breaks none over two pages; and lines that
the titles of columns take, with their rules."""
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
    not fit on a line continue below in small print, with the names of the rows that have an entry
    there; long names break at a ``+``. What does not fit on a page continues in further floats of
    the same number.
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
    title = heading(table)
    room = _PAGE - 1 - math.ceil(len(title) / _LINE)
    parts = [
        part for i, block in enumerate(blocks) for part in _tabulars(grid, block, axes, room, i > 0)
    ]
    parts += [
        ([f"\\par {note}"], math.ceil(len(note) / _SMALL_LINE))
        for note in notes(table, _LATEX, reasons)
    ]
    small = ["\\footnotesize"] if sum(widths) > _LINE else []
    lines = ["% \\usepackage{booktabs}"]
    for index, body in enumerate(_floats(parts, room)):
        # All have the number of the first, and only that one has the label.
        again = ["\\addtocounter{table}{-1}"] if index else []
        caption = f"\\caption{{{_latex_word(f'{title} (continued)'.strip() if index else title)}}}"
        label = [] if index else _label(table)
        lines += ["\\begin{table}", "\\centering", *again, caption, *label, *small, *body]
        lines += ["\\end{table}"]
    return "\n".join(lines) + "\n"


def _floats(parts: Sequence[tuple[list[str], int]], room: int) -> list[list[str]]:
    """Put parts and their heights into as few floats as hold them in their order."""
    floats, left = [list[str]()], room
    for part, height in parts:
        if floats[-1] and height > left:
            floats.append([])
            left = room
        below = floats[-1] and part[0].startswith("\\begin")
        floats[-1] += ["\\par\\medskip", *part] if below else part
        left -= height
    return floats


def _label(table: Table) -> list[str]:
    r"""Give the label of the table for ``\ref``; none if its title has no letters or digits."""
    name = re.sub(r"[^a-z0-9]+", "-", table.title.lower()).strip("-")
    return [f"\\label{{tab:{name}}}"] if name else []


def _seen(grid: Grid) -> Grid:
    """Give cells about as wide as they are printed."""
    return [[re.sub(r"\\[a-zA-Z]+|\\,|[{}$\\]", "", cell) for cell in row] for row in grid]


def _tabulars(
    grid: Grid, block: Sequence[int], axes: int, room: int, continued: bool
) -> Iterator[tuple[list[str], int]]:
    """Write some of the columns, in parts no higher than a float, with their heights; long names of
    rows get a column in which they break. Continued columns leave out rows without an entry.
    """
    seen = _seen(grid)
    wide = {i for i in block if i < axes and max(len(row[i]) for row in seen) > _NAME}
    kinds = "".join("p{0.35\\linewidth}" if i in wide else "l" for i in block)
    head, *rows = (
        " & ".join(row[i].replace("+", "+\\allowbreak{}") if i in wide else row[i] for i in block)
        for row in grid
    )
    chosen, height = list[str](), _HEAD
    for text, row, plain in zip(rows, grid[1:], seen[1:], strict=True):
        if continued and not any(row[i] for i in block[axes:]):
            continue
        lines = max((math.ceil(len(plain[i]) / _NAME) for i in wide), default=1)
        if chosen and height + lines > room:
            yield _tabular(kinds, head, chosen), height
            chosen, height = [], _HEAD
        chosen.append(text)
        height += lines
    if chosen or not continued:
        yield _tabular(kinds, head, chosen), height


def _tabular(kinds: str, head: str, rows: Sequence[str]) -> list[str]:
    return [
        f"\\begin{{tabular}}{{{kinds}}}",
        "\\toprule",
        f"{head} \\\\",
        "\\midrule",
        *(f"{row} \\\\" for row in rows),
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
