"""Violins next to each other: the density of each group's numbers with quartiles and n; a few
numbers are drawn as dots.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Float

from sightline.report.figures.palette import INK, Shade
from sightline.report.number_format import count
from sightline.stats.distribution_shapes import density, quartiles

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FEWEST = 10
"""Numbers that a density needs; fewer are drawn one by one."""
_POINTS = 80


@dataclass(frozen=True)
class Violin:
    """The numbers of one group, its position, its width, and its shade."""

    at: float
    width: float
    values: Float[np.ndarray, " N"]
    shade: Shade


def draw_violins(axes: Axes, violins: Sequence[Violin], top: float) -> None:
    """Draw each group at its position, with n above it."""
    for one in violins:
        if len(one.values):
            _draw(axes, one)
        axes.text(
            one.at, top, count(len(one.values)), ha="center", va="bottom", fontsize=6, color=INK
        )


def _draw(axes: Axes, one: Violin) -> None:
    """Draw a density from the smallest to the largest number, or dots if there are few numbers or
    all are equal.
    """
    low, high = float(one.values.min()), float(one.values.max())
    if len(one.values) < FEWEST or high - low <= 1e-9:
        axes.plot(
            np.full(len(one.values), one.at),
            one.values,
            one.shade.mark,
            color=one.shade.colour,
            markersize=3,
        )
        return
    heights = np.linspace(low, high, _POINTS)
    wide = density(one.values, heights)
    wide *= one.width / 2 / wide.max()
    axes.fill_betweenx(
        heights,
        one.at - wide,
        one.at + wide,
        facecolor=one.shade.colour,
        hatch=one.shade.hatch,
        edgecolor=INK,
        linewidth=0.5,
        alpha=0.85,
    )
    lower, middle, upper = quartiles(one.values)
    axes.plot(
        [one.at, one.at], [lower, upper], "-", color=INK, linewidth=2.5, solid_capstyle="butt"
    )
    axes.plot(
        [one.at],
        [middle],
        "o",
        color="white",
        markeredgecolor=INK,
        markersize=3.5,
        markeredgewidth=0.8,
    )
