"""Align cells in columns for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.cells import cell_len

from sightline.report.sanitize import one_line

GAP = "  "


def aligned(rows: Sequence[Sequence[str]], indent: str = "") -> list[str]:
    """Put cells into columns, two spaces apart; control characters become visible.

    Widths are terminal widths: a Chinese character is two columns wide, a combining accent none.

    >>> aligned([["漢字", "x"], ["a", "y"]])
    ['漢字  x', 'a     y']
    """
    clean = [[one_line(cell) for cell in row] for row in rows]
    widths = column_widths(clean)
    return [indent + GAP.join(map(padded, row, widths)).rstrip() for row in clean]


def points(sentences: Iterable[str]) -> list[str]:
    """Make a list of sentences, one a line, each after a dash."""
    return [f"  - {sentence}" for sentence in sentences]


def column_widths(rows: Sequence[Sequence[str]]) -> list[int]:
    """Find how wide a terminal draws each column."""
    return [max(map(cell_len, column)) for column in zip(*rows, strict=True)]


def padded(cell: str, width: int) -> str:
    """Fill a cell up to a width."""
    return cell + " " * (width - cell_len(cell))


def blocks_of(widths: Sequence[int], axes: int, width: int | None) -> list[list[int]]:
    """Divide the columns into as few blocks as fit, each starting with the axes."""
    named, blocks = list(range(axes)), [list(range(axes))]
    for index in range(axes, len(widths)):
        block = [*blocks[-1], index]
        needed = sum(widths[i] for i in block) + len(GAP) * (len(block) - 1)
        if width is not None and needed > width and blocks[-1] != named:
            blocks.append([*named, index])
        else:
            blocks[-1] = block
    return blocks
