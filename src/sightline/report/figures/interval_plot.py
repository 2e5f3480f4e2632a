"""Intervals below each other, each with its name and its numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sightline.core.results import Estimate
from sightline.report.figures.palette import INK, PALE, shade
from sightline.report.number_format import with_n

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def draw_intervals(
    axes: Axes, named: Sequence[tuple[str, Estimate]], place: int, *, zero: bool
) -> None:
    """Draw one row an estimate, in the shade of ``place``; ``zero`` marks 0."""
    look = shade(place)
    if zero:
        axes.axvline(0, color=PALE, linewidth=0.8)
    for height, (_, one) in enumerate(named):
        axes.plot([one.low, one.high], [height, height], "-", color=INK, linewidth=1.2)
        axes.plot(
            [one.value], [height], look.mark, color=look.colour, markeredgecolor=INK, markersize=5
        )
        axes.text(
            1.01,
            height,
            with_n(one),
            transform=axes.get_yaxis_transform(),
            va="center",
            fontsize=6.5,
        )
    axes.set_yticks(range(len(named)), [name for name, _ in named])
    axes.set_ylim(len(named) - 0.5, -0.5)
