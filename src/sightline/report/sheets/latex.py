"""A results table in LaTeX."""

from __future__ import annotations

import math
import re

from sightline.report.numerals import count, number, span
from sightline.report.sheets.cells import Script, heading, notes, reasons_of, written
from sightline.report.visible import one_line
from sightline.results import Table, TableCell

# The brackets and the star because after \\ they would be read as its options.
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
    """Write the table as LaTeX with the package booktabs; the caption is the title.

    Every character that LaTeX would obey is escaped. Letters beyond Latin need XeLaTeX or LuaLaTeX.
    """
    reasons = reasons_of(table)
    head, *rows = (f"{' & '.join(row)} \\\\" for row in written(table, _LATEX, reasons))
    lines = ["\\begin{table}", "\\centering", f"\\caption{{{_latex_word(heading(table))}}}"]
    lines += [f"\\begin{{tabular}}{{{'l' * (len(table.row_axes) + len(table.columns))}}}"]
    lines += ["\\toprule", head, "\\midrule", *rows, "\\bottomrule", "\\end{tabular}"]
    lines += [f"\\par {note}" for note in notes(table, _LATEX, reasons)]
    return "\n".join([*lines, "\\end{table}"]) + "\n"


def _latex_word(text: str) -> str:
    escaped = "".join(_LATEX_SIGNS.get(character, character) for character in one_line(text))
    return re.sub("-(?=-)", "-{}", escaped)  # two in a row, as in the name of a flag, would become one dash


def _latex_figure(value: float, cell: TableCell) -> str:
    parts = [f"${_latex_number(value)}$"]
    if cell.low is not None and cell.high is not None:
        parts += [_latex_span(cell.low, cell.high)]
    return " ".join(parts) + ("" if cell.n is None else f", $n = {_grouped(count(cell.n))}$")


def _latex_span(low: float, high: float) -> str:
    if math.isnan(low) or math.isnan(high):
        return _latex_word(span(low, high))
    return f"$[\\,{_latex_number(low)},\\ {_latex_number(high)}\\,]$"


def _latex_number(value: float) -> str:
    return _grouped(number(value)).replace("−", "-").replace("∞", r"\infty ")


def _grouped(digits: str) -> str:
    """Keep LaTeX from putting a space behind the comma of thousands, as it does in a list."""
    return digits.replace(",", "{,}")


_LATEX = Script(_latex_word, _latex_figure, lambda index: f"\\textsuperscript{{{index}}}", "---")
