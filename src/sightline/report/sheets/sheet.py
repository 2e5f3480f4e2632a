"""The four printings of a results table: for a terminal, for Markdown, for LaTeX, and in full as CSV.

The first three round as the rest of the report does, and put why something is missing into numbered notes. The CSV
rounds nothing and has a line for each cell. The same table always gives the same text.
"""

from __future__ import annotations

import csv
import io
import math
import re
import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from rich.cells import cell_len

from sightline.report.numerals import count, number, span
from sightline.report.visible import one_line, visible
from sightline.results import Table, TableCell

CSV_COLUMNS = ("column", "value", "low", "high", "n", "seeds", "runs", "note")
"""What follows the axes in a line of the CSV."""
_GAP = "  "
_NARROWEST_NOTE = 20


@dataclass(frozen=True)
class _Script:
    """How a format writes words that others chose, a number with its interval, and the mark of a note."""

    word: Callable[[str], str]
    figure: Callable[[float, TableCell], str]
    mark: Callable[[int], str]
    missing: str


Grid = list[list[str]]


def to_text(table: Table, width: int | None = None) -> str:
    """Write the table for a terminal, its columns aligned.

    Every line can be printed: what a terminal would obey has become a visible sign. Columns that do not fit into
    ``width`` continue below, each row named again; a number is never cut, so one column alone may be wider.
    """
    reasons = _reasons(table)
    grid = _grid(table, _TERMINAL, reasons)
    blocks = _blocks([max(map(cell_len, column)) for column in zip(*grid, strict=True)], len(table.row_axes), width)
    notes = [_wrapped(note, width) for note in _notes(table, _TERMINAL, reasons)]
    parts = [one_line(table.title), *("\n".join(_aligned(grid, block)) for block in blocks), "\n".join(notes)]
    return "\n\n".join(part for part in parts if part)


def to_markdown(table: Table) -> str:
    """Write the table in GitHub's Markdown: nothing in it is read as markup but the table itself."""
    reasons = _reasons(table)
    head, *rows = _grid(table, _MARKDOWN, reasons)
    rule = [":---"] * len(table.row_axes) + ["---:"] * len(table.columns)
    lines = "\n".join(f"| {' | '.join(row)} |" for row in (head, rule, *rows))
    title = _markdown_word(table.title)
    parts = [title and f"**{title}**", lines, *_notes(table, _MARKDOWN, reasons)]
    return "\n\n".join(part for part in parts if part) + "\n"


def to_latex(table: Table) -> str:
    """Write the table as LaTeX with the package booktabs; the caption is the title.

    Every character that LaTeX would obey is escaped. Letters beyond Latin need XeLaTeX or LuaLaTeX.
    """
    reasons = _reasons(table)
    head, *rows = (f"{' & '.join(row)} \\\\" for row in _grid(table, _LATEX, reasons))
    lines = ["\\begin{table}", "\\centering", f"\\caption{{{_latex_word(table.title)}}}"]
    lines += [f"\\begin{{tabular}}{{{'l' * (len(table.row_axes) + len(table.columns))}}}"]
    lines += ["\\toprule", head, "\\midrule", *rows, "\\bottomrule", "\\end{tabular}"]
    lines += [f"\\par {note}" for note in _notes(table, _LATEX, reasons)]
    return "\n".join([*lines, "\\end{table}"]) + "\n"


def to_csv(table: Table) -> str:
    """Write one line a cell: the axes, then `CSV_COLUMNS`, as RFC 4180 has it (write it to a file as bytes).

    Numbers are in full, so that reading them gives the same ones again; seeds and runs are set apart by spaces. A
    text that a spreadsheet would take for a formula begins with a quotation mark. The notes of the table are not in
    it: a cell that is missing has its own.
    """
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow([csv_text(name) for name in (*table.row_axes, *CSV_COLUMNS)])
    for names, cells in zip(table.row_names, table.rows, strict=True):
        for column, cell in zip(table.columns, cells, strict=True):
            writer.writerow([*map(csv_text, (*names, column)), *_csv_cells(cell)])
    return out.getvalue()


# ---------------------------------------------------------------- cells and notes, whatever the format


def _grid(table: Table, script: _Script, reasons: Sequence[str]) -> Grid:
    """Write every cell, the axes and columns above them."""
    rows = [
        [*map(script.word, names), *(_cell(cell, script, reasons) for cell in cells)]
        for names, cells in zip(table.row_names, table.rows, strict=True)
    ]
    return [[script.word(name) for name in (*table.row_axes, *table.columns)], *rows]


def _cell(cell: TableCell, script: _Script, reasons: Sequence[str]) -> str:
    reason = _reason(cell)
    mark = script.mark(reasons.index(reason) + 1) if reason else ""
    if cell.value is None or _missing(cell):
        return script.missing + mark
    body = script.word(cell.value) if isinstance(cell.value, str) else script.figure(cell.value, cell)
    return body + mark


def _missing(cell: TableCell) -> bool:
    return cell.value is None or (not isinstance(cell.value, str) and math.isnan(cell.value))


def _reason(cell: TableCell) -> str:
    """Give the note of a cell; a missing one always has some reason."""
    without = "no reason given" if cell.value is None else "undefined" if _missing(cell) else ""
    return cell.note or without


def _reasons(table: Table) -> list[str]:
    """List the notes of the cells in reading order, each once."""
    return list(dict.fromkeys(reason for row in table.rows for cell in row if (reason := _reason(cell))))


def _notes(table: Table, script: _Script, reasons: Sequence[str]) -> list[str]:
    numbered = [f"{script.mark(index).strip()} {script.word(reason)}" for index, reason in enumerate(reasons, start=1)]
    return [*numbered, *(f"Note: {script.word(note)}" for note in table.notes)]


def _figure(value: float, cell: TableCell) -> str:
    parts = [number(value)] + ([] if cell.low is None or cell.high is None else [span(cell.low, cell.high)])
    return one_line(" ".join(parts) + ("" if cell.n is None else f", n = {count(cell.n)}"))


# ---------------------------------------------------------------- terminal


def _blocks(widths: Sequence[int], axes: int, width: int | None) -> list[list[int]]:
    """Share the columns out to as few blocks as fit, the axes in front of each."""
    named, blocks = list(range(axes)), [list(range(axes))]
    for index in range(axes, len(widths)):
        block = [*blocks[-1], index]
        needed = sum(widths[i] for i in block) + len(_GAP) * (len(block) - 1)
        if width is not None and needed > width and blocks[-1] != named:
            blocks.append([*named, index])
        else:
            blocks[-1] = block
    return blocks


def _aligned(grid: Grid, block: Sequence[int]) -> Iterator[str]:
    head, *rows = ([row[index] for index in block] for row in grid)
    widths = [max(map(cell_len, column)) for column in zip(head, *rows, strict=True)]
    for row in (head, ["-" * width for width in widths], *rows):
        # Not str.ljust: a Chinese character is two columns wide.
        padded = (cell + " " * (width - cell_len(cell)) for cell, width in zip(row, widths, strict=True))
        yield _GAP.join(padded).rstrip()


def _wrapped(note: str, width: int | None) -> str:
    if width is None:
        return note
    return textwrap.fill(note, max(width, _NARROWEST_NOTE), break_long_words=False, break_on_hyphens=False)


_TERMINAL = _Script(one_line, _figure, lambda index: f" ({index})", "—")


# ---------------------------------------------------------------- Markdown


def _markdown_word(text: str) -> str:
    return _markdown_entities(re.sub(r"[\\`*_{}\[\]()#~|$!:@]", r"\\\g<0>", one_line(text)))


def _markdown_entities(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _markdown_figure(value: float, cell: TableCell) -> str:
    return _markdown_entities(_figure(value, cell))


_MARKDOWN = _Script(_markdown_word, _markdown_figure, lambda index: f" ({index})", "—")


# ---------------------------------------------------------------- LaTeX


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


_LATEX = _Script(_latex_word, _latex_figure, lambda index: f"\\textsuperscript{{{index}}}", "---")


# ---------------------------------------------------------------- CSV


def csv_text(text: str) -> str:
    """Disarm what a spreadsheet would run: it looks past leading spaces, and takes the wide signs too."""
    shown = visible(text)
    return f"'{shown}" if shown.lstrip()[:1] in tuple("=+-@＝＋－＠") else shown


def _csv_cells(cell: TableCell) -> list[str]:
    numbers = [_csv_value(number) for number in (cell.value, cell.low, cell.high)]
    seeds, runs = " ".join(map(str, cell.seeds)), csv_text(" ".join(cell.runs))
    return [*numbers, "" if cell.n is None else str(cell.n), seeds, runs, csv_text(_reason(cell))]


def _csv_value(value: float | str | None) -> str:
    if isinstance(value, str):
        return csv_text(value)
    # A numpy number writes its type into its repr.
    return "" if value is None else repr(float(value))
