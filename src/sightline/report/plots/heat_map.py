"""The model's attention over one text, beside attention far from it that gives the same answer.

The form of Jain & Wallace 2019, figure 1.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Float

from sightline.errors import DataError
from sightline.report.numerals import count, number
from sightline.report.plots.drawing import check_drawing, readable, width_of
from sightline.report.plots.farthest import ROUNDING, same_answer
from sightline.report.plots.plot import WIDTH, Plot, Row, needed
from sightline.report.plots.shades import INK
from sightline.report.visible import one_line, shortened
from sightline.results import Ragged, Results

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST, LONGEST = 400, 30
"""Words that are drawn, and letters of each; the table has all."""
_POINT = 72
_SIZE, _LINE, _AIR, _BLANK = 7.5, 13.0, 1.5, 2.0
"""Points: of letters, from line to line, around a word, and between two words."""
_LEFT, _TOP, _HEAD, _GAP = 6.0, 26.0, 16.0, 14.0
"""Points: left of the maps, over them, of their heads, and between them."""
_EACH = (WIDTH * _POINT - 2 * _LEFT - _GAP) / 2
DEEPEST = (8, 48, 107)
"""Red, green and blue of a weight of 1."""
SCALE = (0.0, 0.01, 0.05, 0.25, 1.0)
"""The weights that the legend shows."""


@dataclass(frozen=True)
class Word:
    """A word where it stands: the line, points from the left, and its width."""

    text: str
    line: int
    left: float
    width: float


def heat_map(audit: Results, text_id: str | None) -> Plot:
    """Draw the two maps of one text: the one that is asked for, or the one whose divergence is the median."""
    own, other = _ragged(audit, "outputs.attention"), _ragged(audit, "counterfactual.farthest")
    low, high = (np.asarray(needed(audit, f"counterfactual.jsd_{side}"), dtype=float) for side in ("low", "high"))
    place = _place(audit, low, text_id)
    check_drawing()
    text, maps = audit.texts[place], (own.rows()[place], other.rows()[place])
    words = _laid_out(text.tokens[:MOST])
    lines = words[-1].line + 1 if words else 0
    left = f" The first {count(MOST)} of {count(len(text.tokens))} words." if len(text.tokens) > MOST else ""
    chosen = "" if text_id is not None else " The text whose divergence is the median of all."
    exact = _exact(float(low[place]), float(high[place]))
    heads = ("the model’s attention", f"the farthest attention{'' if exact else ' found'}")
    rows: list[Row] = [
        (text.id, i, word, float(a), float(b), float(low[place]), float(high[place]))
        for i, (word, a, b) in enumerate(zip(text.tokens, *maps, strict=True))
    ]
    return Plot(
        "One text under the model’s attention, and under other attention with the same answer",
        (
            f"After Jain & Wallace 2019, figure 1. Both attentions give {same_answer(audit)}.",
            f"Text {shortened(one_line(text.id), 60)}, predicted {shortened(one_line(text.predicted), 40)}. "
            f"{_apart(float(low[place]), float(high[place]))}{left}{chosen}",
        ),
        lambda figure: _draw(figure, words, dict(zip(heads, maps, strict=True))),
        ("id", "position", "word", "attention", "farthest", "jsd_low", "jsd_high"),
        rows,
        (_TOP + _HEAD + _LINE * (lines + 2)) / _POINT + 0.5,
    )


def _ragged(audit: Results, name: str) -> Ragged:
    found = needed(audit, name)
    assert isinstance(found, Ragged)  # a number a word
    return found


def _place(audit: Results, jsd: Float[np.ndarray, " N"], text_id: str | None) -> int:
    """Find the text that is asked for, or the first of those in the middle: neither the worst nor the best."""
    if text_id is not None:
        found = [place for place, text in enumerate(audit.texts) if text.id == text_id]
        if not found:
            told = f"no text of this audit has the id {text_id!r}; its ids are such as {audit.texts[0].id!r}"
            raise DataError(told, field="text_id")
        return found[0]
    known = np.flatnonzero(np.isfinite(jsd))
    if not len(known):
        raise DataError("no text of this audit has a divergence to another attention; choose another figure")
    order = known[np.argsort(jsd[known], kind="stable")]
    return int(order[(len(order) - 1) // 2])


def _apart(low: float, high: float) -> str:
    """Say how far the two maps are from one another."""
    if math.isnan(low):
        return "It has no other attention."
    side = "the most there is" if _exact(low, high) else f"and no other attention is farther than {number(high)}"
    return f"JSD of the two: {number(low)} nats, {side}."


def _exact(low: float, high: float) -> bool:
    return high - low <= ROUNDING


def _laid_out(tokens: Sequence[str]) -> list[Word]:
    """Break the words into lines."""
    placed: list[Word] = []
    line, left = 0, 0.0
    for token in tokens:
        shown = readable(shortened(one_line(token), LONGEST)) or " "
        width = width_of(shown, _SIZE) + 2 * _AIR
        if left and left + width > _EACH:
            line, left = line + 1, 0.0
        placed.append(Word(shown, line, left, width))
        left += width + _BLANK
    return placed


def _draw(figure: Figure, words: Sequence[Word], maps: Mapping[str, Float[np.ndarray, " T"]]) -> None:
    """Draw on one plane whose unit is a point, from the top downwards."""
    wide, high = (size * _POINT for size in figure.get_size_inches())
    figure.set_layout_engine("none")  # words stand where they were laid
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_xlim(0, wide)
    axes.set_ylim(high, 0)
    axes.set_axis_off()
    for side, (head, weights) in enumerate(maps.items()):
        left = _LEFT + side * (_EACH + _GAP)
        axes.text(left, _TOP + 8, head, fontsize=8, fontweight="bold", color=INK)
        for word, weight in zip(words, weights.tolist(), strict=False):
            _shaded(axes, left + word.left, _TOP + _HEAD + word.line * _LINE, word, weight)
    lines = words[-1].line + 1 if words else 0
    _legend(axes, _TOP + _HEAD + (lines + 0.6) * _LINE)


def _shaded(axes: Axes, left: float, top: float, word: Word, weight: float) -> None:
    """Draw a word on its shade, which goes with the square root of the weight (decision 0057)."""
    depth = math.sqrt(min(max(weight, 0.0), 1.0)) if math.isfinite(weight) else 0.0
    colour = [1 - depth * (1 - one / 255) for one in DEEPEST]
    x = [left, left + word.width, left + word.width, left]
    axes.fill(x, [top, top, top + 11, top + 11], facecolor=colour, edgecolor="none")
    axes.text(left + _AIR, top + 8.3, word.text, fontsize=_SIZE, color="white" if depth > 0.55 else INK)


def _legend(axes: Axes, top: float) -> None:
    """Show which weight has which shade."""
    axes.text(_LEFT, top + 8.3, "weight:", fontsize=_SIZE, color=INK)
    for place, weight in enumerate(SCALE):
        _shaded(axes, _LEFT + 40 + 34 * place, top, Word(f"{weight:g}", 0, 0.0, 30.0), weight)
