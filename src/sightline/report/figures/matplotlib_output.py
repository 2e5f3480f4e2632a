"""Draw a plot to a file's bytes with matplotlib, an extra, without a date or a machine name."""

from __future__ import annotations

import io
import textwrap
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import Any

from sightline.core.errors import MissingExtra
from sightline.core.installation import install_line
from sightline.report.figures.plot import WIDTH, Plot
from sightline.report.sanitize import visible

_METADATA: Mapping[str, Mapping[str, None]] = {
    ".svg": {"Date": None, "Creator": None},
    ".png": {"Software": None},
    ".pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}
"""Metadata that matplotlib would write about itself and the date, by file ending."""
ENDINGS = tuple(_METADATA)
FONT = "DejaVu Sans"
"""A font that matplotlib includes."""
STYLE: Mapping[str, Any] = {
    "text.parse_math": False,  # a dollar sign in a user's text is a dollar sign
    "text.usetex": False,
    # otherwise letters are wider when drawn than when they were laid out
    "text.hinting": "none",
    "svg.fonttype": "path",  # fonts travel with the file
    "pdf.fonttype": 42,
    "svg.hashsalt": "sightline",
    "font.family": [FONT],
    "font.size": 8,
    "hatch.linewidth": 0.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "legend.frameon": False,
    "savefig.dpi": 200,
}
_LINE, _EDGE, _NOTE = 0.15, 0.08, 6.8
"""Inches of a line of notes and of the margin around the figure; points of the notes' letters."""
_LETTERS = 128
"""Most letters in a line of notes."""
_UNKNOWN = "□"
"""Stands for a character that the font lacks."""


def check_drawing() -> None:
    """Refuse to draw without matplotlib, before any work."""
    try:
        import_module("matplotlib.figure")
    except ImportError as error:
        raise MissingExtra(
            f"figures need matplotlib ({error}): {install_line('figures')}, or write the "
            "numbers with sightline export"
        ) from error


def render_figure(plot: Plot, ending: str) -> bytes:
    """Draw a figure as a file with this ending; equal numbers give equal bytes."""
    check_drawing()
    styles, figures = import_module("matplotlib.style"), import_module("matplotlib.figure")
    with styles.context(["default", STYLE]):
        figure = figures.Figure(figsize=(WIDTH, plot.height))
        _write_words(figure, plot)
        plot.draw(figure)
        _make_readable(figure)
        _settle(figure)
        out = io.BytesIO()
        figure.savefig(
            out, format=ending[1:], metadata={"Title": visible(plot.title), **_METADATA[ending]}
        )
    return out.getvalue()


def _write_words(figure: Any, plot: Plot) -> None:
    """Write the title above and the notes below, and leave the room between them to the axes."""
    lines = textwrap.wrap(" ".join(plot.notes), _LETTERS, break_on_hyphens=False)
    low = (_LINE * len(lines) + 2 * _EDGE) / plot.height
    figure.text(
        _EDGE / WIDTH, 1 - _EDGE / plot.height, plot.title, va="top", fontsize=9, fontweight="bold"
    )
    figure.text(
        _EDGE / WIDTH,
        _EDGE / plot.height,
        "\n".join(lines),
        va="bottom",
        fontsize=_NOTE,
        linespacing=1.3,
    )
    high = 1 - (2 * _EDGE + 0.2) / plot.height
    figure.set_layout_engine("constrained", rect=(0, low, 1, high - low))


def _settle(figure: Any) -> None:
    """Lay out the axes once and fix them to a millionth, because the solver's last digits differ
    between runs.
    """
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    for axes in figure.axes:
        axes.set_position([round(side, 6) for side in axes.get_position().bounds])
    for text in figure.texts:
        text.set_position([round(side, 6) for side in text.get_position()])


def _make_readable(figure: Any) -> None:
    """Replace in every text the characters that the font lacks or that would hide."""
    for text in figure.findobj(import_module("matplotlib.text").Text):
        text.set_text(readable(text.get_text()))


def readable(text: str) -> str:
    """Replace every character that the font lacks, that hides, or that reverses what follows."""
    known = _characters()
    return "".join(one if one in known else _UNKNOWN for one in visible(text))


def width_of(text: str, size: float) -> float:
    """Width of a drawn text, in points."""
    fonts, paths = import_module("matplotlib.font_manager"), import_module("matplotlib.textpath")
    font = fonts.FontProperties(family=FONT, size=size)
    return float(paths.text_to_path.get_text_width_height_descent(text, font, ismath=False)[0])


@cache
def _characters() -> frozenset[str]:
    """Give the characters of the font, and the line end."""
    fonts = import_module("matplotlib.font_manager")
    found: Mapping[int, int] = fonts.get_font(fonts.findfont(FONT)).get_charmap()
    return frozenset(map(chr, found)) | {"\n"}
