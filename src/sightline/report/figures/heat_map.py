"""One text under the model's attention, and under distant attention with the same output.

In the form of Jain & Wallace 2019, figure 1.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Float

from sightline.core.errors import DataError
from sightline.core.results import Ragged, Results, TextRecord
from sightline.report.figures.matplotlib_output import check_drawing, readable, width_of
from sightline.report.figures.max_jsd import ROUNDING, same_answer
from sightline.report.figures.palette import INK
from sightline.report.figures.plot import WIDTH, Plot, PlotRow, needed
from sightline.report.number_format import count, number
from sightline.report.sanitize import one_line, shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST, LONGEST = 400, 30
"""Most words that are drawn, and most letters of each; the table has all."""
_POINT = 72
_SIZE, _LINE, _AIR, _BLANK = 7.5, 13.0, 1.5, 2.0
"""Points: size of letters, line height, space around a word, and space between words."""
_LEFT, _TOP, _HEAD, _GAP = 6.0, 26.0, 16.0, 14.0
"""Points: left of the maps, above them, height of their titles, and between them."""
_EACH = (WIDTH * _POINT - 2 * _LEFT - _GAP) / 2
DEEPEST = (8, 48, 107)
"""Red, green and blue of a weight of 1."""
SCALE = (0.0, 0.01, 0.05, 0.25, 1.0)
"""The weights that the legend shows."""


@dataclass(frozen=True)
class Word:
    """A word and its position: the line, points from the left, and its width."""

    text: str
    line: int
    left: float
    width: float


@dataclass(frozen=True)
class HeatMapText:
    """The text that is drawn: the model's attention, the farthest attention, and the bounds of its
    divergence.
    """

    text: TextRecord
    own: Float[np.ndarray, " T"]
    farthest: Float[np.ndarray, " T"]
    low: float
    high: float

    @property
    def exact(self) -> bool:
        """Whether the divergence is exact."""
        return self.high - self.low <= ROUNDING

    def rows(self) -> list[PlotRow]:
        """Give one row a word."""
        each = zip(self.text.tokens, self.own.tolist(), self.farthest.tolist(), strict=True)
        return [(self.text.id, i, *word, self.low, self.high) for i, word in enumerate(each)]

    def maps(self) -> dict[str, Float[np.ndarray, " T"]]:
        """Give the two maps by their titles."""
        found = "the farthest attention" if self.exact else "the farthest attention found"
        return {"the model’s attention": self.own, found: self.farthest}

    def description(self) -> str:
        """Name the text, and say how far its maps are apart."""
        named = (
            f"Text {shortened(one_line(self.text.id), 60)}, predicted "
            f"{shortened(one_line(self.text.predicted), 40)}."
        )
        words = len(self.text.tokens)
        left = f" The first {count(MOST)} of {count(words)} words." if words > MOST else ""
        if math.isnan(self.low):
            return f"{named} It has no other attention.{left}"
        side = (
            "the most for this text"
            if self.exact
            else f"and no other attention is farther than {number(self.high)}"
        )
        return f"{named} JSD of the two: {number(self.low)} nats, {side}.{left}"


def heat_map(audit: Results, text_id: str | None) -> Plot:
    """Draw the two maps of one text: the one with ``text_id``, or the text with the median
    divergence.
    """
    chosen = _chosen(audit, text_id)
    check_drawing()
    words = _laid_out(chosen.text.tokens[:MOST])
    lines = words[-1].line + 1 if words else 0
    why = () if text_id is not None else ("Its divergence is the median of all texts.",)
    return Plot(
        "One text under the model’s attention, and under other attention with the same output",
        (
            f"After Jain & Wallace 2019, figure 1. Both attentions give {same_answer(audit)}.",
            chosen.description(),
            *why,
        ),
        lambda figure: _draw(figure, words, chosen.maps()),
        ("id", "position", "word", "attention", "farthest", "jsd_low", "jsd_high"),
        chosen.rows(),
        (_TOP + _HEAD + _LINE * (lines + 2)) / _POINT + 0.5,
    )


def _chosen(audit: Results, text_id: str | None) -> HeatMapText:
    own, other = _ragged(audit, "outputs.attention"), _ragged(audit, "counterfactual.farthest")
    low, high = (
        np.asarray(needed(audit, f"counterfactual.jsd_{side}"), dtype=float)
        for side in ("low", "high")
    )
    place = _place(audit, low, text_id)
    return HeatMapText(
        audit.texts[place],
        own.rows()[place],
        other.rows()[place],
        low[place].item(),
        high[place].item(),
    )


def _ragged(audit: Results, name: str) -> Ragged:
    found = needed(audit, name)
    assert isinstance(found, Ragged)  # a number a word
    return found


def _place(audit: Results, jsd: Float[np.ndarray, " N"], text_id: str | None) -> int:
    """Find the text with ``text_id``, or the first text with the median divergence."""
    if text_id is not None:
        found = [place for place, text in enumerate(audit.texts) if text.id == text_id]
        if not found:
            message = (
                f"no text of this audit has the id {text_id!r}; its ids are such as "
                f"{audit.texts[0].id!r}"
            )
            raise DataError(message, field="text_id")
        return found[0]
    known = np.flatnonzero(np.isfinite(jsd))
    if not len(known):
        raise DataError(
            "no text of this audit has a divergence to another attention; choose another figure"
        )
    order = known[np.argsort(jsd[known], kind="stable")]
    return int(order[(len(order) - 1) // 2])


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


def _draw(
    figure: Figure, words: Sequence[Word], maps: Mapping[str, Float[np.ndarray, " T"]]
) -> None:
    """Draw on one plane whose unit is a point, from the top down."""
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
    """Draw a word on its shade, which follows the square root of the weight (decision 0057)."""
    depth = math.sqrt(min(max(weight, 0.0), 1.0)) if math.isfinite(weight) else 0.0
    colour = [1 - depth * (1 - one / 255) for one in DEEPEST]
    x = [left, left + word.width, left + word.width, left]
    axes.fill(x, [top, top, top + 11, top + 11], facecolor=colour, edgecolor="none")
    axes.text(
        left + _AIR, top + 8.3, word.text, fontsize=_SIZE, color="white" if depth > 0.55 else INK
    )


def _legend(axes: Axes, top: float) -> None:
    """Show the shades of some weights."""
    axes.text(_LEFT, top + 8.3, "weight:", fontsize=_SIZE, color=INK)
    for place, weight in enumerate(SCALE):
        _shaded(axes, _LEFT + 40 + 34 * place, top, Word(f"{weight:g}", 0, 0.0, 30.0), weight)
