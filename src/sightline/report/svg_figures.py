"""Figures as inline SVG from the numbers of an audit, each with a description in words.

Colours are classes of the page's stylesheet, so a figure follows light mode, dark mode and print.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from markupsafe import Markup

from sightline.core.results import Estimate, Finding
from sightline.report.axis_ticks import Axis, axis_over, ticks
from sightline.report.number_format import interval, trimmed_number, with_n
from sightline.report.sanitize import one_line, shortened

WIDTH, LEFT, RIGHT = 380, 1, 379
ROW, HEAD, FOOT = 34, 24, 34
MOST_CLASSES = 12

_LINE = Markup('<line x1="{}" y1="{}" x2="{}" y2="{}" class="{}"/>')
_TEXT = Markup('<text x="{}" y="{}" class="{}">{}</text>')
_SVG = Markup(
    '<svg viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img"'
    ' aria-labelledby="{id}-title {id}-desc"><title id="{id}-title">{title}</title>'
    '<desc id="{id}-desc">{desc}</desc>{body}</svg>'
)


@dataclass(frozen=True)
class IntervalRow:
    """One interval of a figure: its label, its numbers, and its colour class."""

    label: str
    estimate: Estimate
    kind: str


@dataclass(frozen=True)
class IntervalPanel:
    """Intervals on a shared axis, maybe with a line at ``threshold``."""

    title: str
    rows: tuple[IntervalRow, ...]
    threshold: float | None = None
    zero: bool = False

    @property
    def height(self) -> int:
        """Drawing units from the title to the numbers below the axis."""
        return HEAD + ROW * len(self.rows) + FOOT

    def axis(self) -> Axis:
        """Make the axis for all intervals, and for zero and threshold if they are drawn."""
        values = [
            v
            for row in self.rows
            for v in (row.estimate.low, row.estimate.value, row.estimate.high)
        ]
        drawn = ([0.0] if self.zero else []) + ([] if self.threshold is None else [self.threshold])
        return axis_over(values + drawn, left=LEFT, right=RIGHT)


def anchor(code: str) -> str:
    """Turn a code into an id that links can name."""
    return re.sub(r"[^a-z0-9]+", "-", code.lower()).strip("-") or "finding"


def finding_figure(finding: Finding) -> Markup | None:
    """Draw the number with its chance level, then the score (overall and by class) with the
    threshold, if known.
    """
    panels = [panel for panel in (_number_panel(finding), _effect_panel(finding)) if panel.rows]
    if not panels:
        return None
    body, top = drawn(panels)
    title = f"{finding.code}: " + ", and ".join(panel.title.lower() for panel in panels)
    ident = f"figure-{anchor(finding.code)}"
    return _SVG.format(
        width=WIDTH, height=top, id=ident, title=title, desc=_description(panels), body=body
    )


def drawn(panels: Iterable[IntervalPanel]) -> tuple[Markup, int]:
    """Draw panels below each other, and give their total height."""
    bodies, top = [], 0
    for panel in panels:
        bodies.append(_drawn(panel, top))
        top += panel.height
    return Markup("").join(bodies), top


def _number_panel(finding: Finding) -> IntervalPanel:
    if finding.baseline is None and finding.number == finding.score:
        return IntervalPanel("", ())  # the score's panel shows the same
    pairs = (("number", finding.number, "number"), ("chance level", finding.baseline, "baseline"))
    rows = tuple(
        IntervalRow(label, found, kind) for label, found, kind in pairs if found is not None
    )
    return IntervalPanel(
        "The number and its chance level"
        if len(rows) == 2
        else f"The {rows[0].label}"
        if rows
        else "",
        rows,
    )


def _effect_panel(finding: Finding) -> IntervalPanel:
    whole = [IntervalRow("all texts", finding.score, "score")] if finding.score is not None else []
    classes = [
        IntervalRow(one_line(name), score, "class") for name, score in finding.by_class.items()
    ]
    title = "Score" if finding.threshold is None else "Score and threshold"
    return IntervalPanel(title, tuple(whole + classes[:MOST_CLASSES]), finding.threshold, zero=True)


def _description(panels: Iterable[IntervalPanel]) -> str:
    said = []
    for panel in panels:
        threshold = (
            "" if panel.threshold is None else f" Threshold {trimmed_number(panel.threshold)}."
        )
        rows = "; ".join(f"{row.label} {with_n(row.estimate)}" for row in panel.rows)
        said.append(f"{panel.title}: {rows}.{threshold}")
    return " ".join(said)


def _drawn(panel: IntervalPanel, top: int) -> Markup:
    axis = panel.axis()
    tops = [top + HEAD + ROW * index for index in range(len(panel.rows))]
    bottom = top + HEAD + ROW * len(panel.rows)
    parts = [_TEXT.format(LEFT, top + 14, "head", panel.title)]
    if panel.threshold is not None:
        parts.append(_matters(axis, panel.threshold, top + HEAD, bottom))
        parts += [_upright(axis, panel.threshold, row_top, "threshold") for row_top in tops]
    if panel.zero:
        parts += [_upright(axis, 0.0, row_top, "zero") for row_top in tops]
    parts += [_interval(row, axis, row_top) for row, row_top in zip(panel.rows, tops, strict=True)]
    parts.append(_scale(axis, bottom))
    return Markup("").join(parts)


def _upright(axis: Axis, value: float, top: int, kind: str) -> Markup:
    """Mark a value at the interval of one row, without covering the words above it."""
    return _LINE.format(axis.at(value), top + 17, axis.at(value), top + 29, kind)


def _matters(axis: Axis, threshold: float, top: int, bottom: int) -> Markup:
    """Shade the scores above the threshold, and name it below the axis, where no interval covers
    it.
    """
    x = axis.at(threshold)
    box = Markup('<rect x="{}" y="{}" width="{}" height="{}" class="matters"/>')
    name = Markup('<text x="{}" y="{}" class="threshold" text-anchor="{}">{}</text>')
    end = "start" if x < 40 else "end" if x > WIDTH - 40 else "middle"
    shade = box.format(x, top, round(RIGHT - x, 1), bottom - top)
    return shade + name.format(x, bottom + 29, end, f"threshold {trimmed_number(threshold)}")


def _interval(row: IntervalRow, axis: Axis, top: int) -> Markup:
    """Write a label and its numbers, and below them the interval with a dot at its value."""
    label = _TEXT.format(LEFT, top + 13, "label", shortened(row.label, 26))
    value = Markup('<text x="{}" y="{}" class="value" text-anchor="end">{}</text>')
    parts = [label, value.format(RIGHT, top + 13, interval(row.estimate))]
    y, estimate = top + 23, row.estimate
    if estimate.low <= estimate.high:
        parts.append(
            _LINE.format(axis.at(estimate.low), y, axis.at(estimate.high), y, f"bar {row.kind}")
        )
    if estimate.value == estimate.value:
        dot = Markup('<circle cx="{}" cy="{}" r="4" class="dot {}"/>')
        parts.append(dot.format(axis.at(estimate.value), y, row.kind))
    return Markup("").join(parts)


def _scale(axis: Axis, y: int) -> Markup:
    label = Markup('<text x="{}" y="{}" class="tick" text-anchor="middle">{}</text>')
    parts = [_LINE.format(LEFT, y, RIGHT, y, "axis")]
    for value in ticks(axis):
        x = axis.at(value)
        parts += [
            _LINE.format(x, y, x, y + 4, "axis"),
            label.format(min(max(x, 14), WIDTH - 14), y + 15, trimmed_number(value)),
        ]
    return Markup("").join(parts)
