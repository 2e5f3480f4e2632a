"""A figure as it is written: an SVG that needs nothing else, and the table of what is drawn in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

from markupsafe import Markup

from sightline.errors import DataError
from sightline.report.axes import Axis, tick_text, ticks
from sightline.report.visible import one_line
from sightline.results import Measurement, NotApplicable, Outcome, Results, Values

Cell = str | int | float
TEXT = Markup('<text x="{}" y="{}" class="{}" text-anchor="{}">{}</text>')
LINE = Markup('<line x1="{}" y1="{}" x2="{}" y2="{}" class="{}"/>')
BOX = Markup('<rect x="{}" y="{}" width="{}" height="{}" class="{}"/>')
DOT = Markup('<circle cx="{}" cy="{}" r="3" class="{}" fill-opacity=".5"/>')
_SVG = Markup(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    ' role="img">'
    "<title>{title}</title><desc>{desc}</desc><style>{style}</style>"
    '<rect width="{width}" height="{height}" class="paper"/>{body}</svg>\n'
)
_OURS = "svg .paper { fill: var(--paper); } svg .box { fill: var(--main); }"


@dataclass(frozen=True)
class Plot:
    """A figure: the drawing, and a row of numbers for everything that is drawn, under its column."""

    svg: str
    columns: tuple[str, ...]
    rows: Sequence[tuple[Cell, ...]]


def svg(width: int, height: int, title: str, desc: str, body: Iterable[Markup]) -> str:
    """Write a drawing as a file of its own: its style is in it, and it asks nothing of any network."""
    shown = {"title": one_line(title), "desc": one_line(desc), "style": Markup(_style())}
    return str(_SVG.format(width=width, height=height, body=Markup("").join(body), **shown))


def along(axis: Axis, y: int) -> list[Markup]:
    """Draw an axis from left to right."""
    parts = [LINE.format(axis.left, y, axis.right, y, "axis")]
    for value in ticks(axis):
        x = axis.at(value)
        parts += [LINE.format(x, y, x, y + 4, "axis"), TEXT.format(x, y + 16, "tick", "middle", tick_text(value))]
    return parts


def upright(axis: Axis, x: int) -> list[Markup]:
    """Draw an axis from below upwards."""
    parts = [LINE.format(x, axis.left, x, axis.right, "axis")]
    for value in ticks(axis):
        y = axis.at(value)
        parts += [LINE.format(x - 4, y, x, y, "axis"), TEXT.format(x - 7, y + 4, "tick", "end", tick_text(value))]
    return parts


def needed(audit: Results, name: str) -> Values:
    """Give the raw numbers that a figure draws, ``measure.quantity``; an audit without them says why it has none."""
    code, _, quantity = name.partition(".")
    found = audit.measurements.get(code)
    if isinstance(found, Measurement) and quantity in found.values:
        return found.values[quantity]
    why = _why_not(found, code, quantity)
    raise DataError(f"the figure needs {name}, which this audit does not have ({why}); choose another figure")


def _why_not(found: Outcome | None, code: str, quantity: str) -> str:
    """Say why an audit lacks a quantity."""
    if isinstance(found, Measurement):
        return found.missing.get(quantity, "not measured")
    if found is None:
        return f"{code}: it was not asked for"
    return f"{code}: {found.reason if isinstance(found, NotApplicable) else found.error}"


@cache
def _style() -> str:
    """Take from the one stylesheet what figures need: its colours on light paper, put in by value, and its rules.

    By value, because what draws SVG outside of a browser knows no variables.
    """
    sheet = resources.files("sightline.report.page").joinpath("templates", "page.css").read_text(encoding="utf-8")
    root = re.search(r":root \{[^}]*\}", sheet)
    assert root is not None
    colours = dict(re.findall(r"--([\w-]+): ([^;]+);", root[0]))
    rules = [
        "svg { fill: var(--ink); font: 12px sans-serif; }",
        *re.findall(r"^svg [.t][^\n]*", sheet, re.MULTILINE),
        _OURS,
    ]
    return re.sub(r"var\(--([\w-]+)\)", lambda match: colours[match[1]], "\n".join(rules))
