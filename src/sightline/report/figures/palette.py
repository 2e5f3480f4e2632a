"""Colours and marks that differ for colour-blind readers and in grey: each colour has its own
lightness and hatch.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sightline.report.sanitize import one_line, shortened

INK, PALE = "#1a1a1a", "#b0b0b0"


@dataclass(frozen=True)
class Shade:
    """How a group is drawn: a colour of Okabe & Ito (2008), with its hatch, mark and line."""

    colour: str
    hatch: str
    mark: str
    line: str

    @property
    def marked_line(self) -> dict[str, Any]:
        """Give the settings of a thin line with marks, for matplotlib's ``plot``."""
        edge = {"markeredgecolor": INK, "markeredgewidth": 0.5, "markersize": 5, "linewidth": 1}
        return {"color": self.colour, "marker": self.mark, "linestyle": self.line, **edge}


SHADES = (
    Shade("#0072B2", "", "o", "-"),
    Shade("#E69F00", "////", "s", "--"),
    Shade("#56B4E9", "....", "^", "-."),
    Shade("#D55E00", "xxxx", "D", ":"),
    Shade("#009E73", "\\\\\\\\", "v", "-"),
    Shade("#CC79A7", "++++", "P", "--"),
)


def shade(place: int) -> Shade:
    """Give the shade of a group by its position."""
    return SHADES[place % len(SHADES)]


def label(name: str, longest: int = 30) -> str:
    """Write a user's name on one line; a leading _ gets a space, because matplotlib would leave it
    out of a legend.
    """
    text = shortened(one_line(name), longest)
    return f" {text}" if text.startswith("_") else text
