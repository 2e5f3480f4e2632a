"""Histograms below each other, one for each group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Float

from sightline.report.figures.palette import INK, label, shade
from sightline.report.number_format import count

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST = 12
"""Groups that are drawn; the table has all."""
STEPS = ("-", "--", ":")
"""Styles of the lines over the bars, in order."""
HIGH = 1.05
"""Height of one histogram, in inches."""


@dataclass(frozen=True)
class Histogram:
    """One group: its name, the heights of its bars, its number of texts, and how many are
    undefined.

    ``lines`` are other counts of the same texts, drawn as steps over the bars.
    """

    name: str
    heights: Sequence[float]
    n: int
    undefined: int
    lines: Mapping[str, Sequence[float]] = field(default_factory=dict)


def height_of(groups: int) -> float:
    """Give the height of a figure with so many histograms, in inches."""
    return 1.1 + HIGH * min(max(groups, 1), MOST)


def draw_histograms(
    figure: Figure,
    groups: Sequence[Histogram],
    edges: Float[np.ndarray, " E"],
    across: str,
    up: str,
) -> None:
    """Draw each group on its own axes, all with the same bins and scales."""
    shown = groups[:MOST]
    every = figure.subplots(len(shown), 1, sharex=True, sharey=True, squeeze=False)[:, 0]
    for place, (axes, group) in enumerate(zip(every, shown, strict=True)):
        look = shade(place)
        axes.bar(
            edges[:-1],
            group.heights,
            np.diff(edges),
            align="edge",
            color=look.colour,
            hatch=look.hatch,
            edgecolor=INK,
            linewidth=0.4,
        )
        for steps, style in zip(group.lines, STEPS, strict=False):
            axes.stairs(
                group.lines[steps], edges, color=INK, linestyle=style, linewidth=1, label=steps
            )
        undefined = f", undefined {count(group.undefined)}" if group.undefined else ""
        axes.set_title(
            f"{label(group.name, 60)}  (n = {count(group.n)}{undefined})",
            loc="left",
            fontsize=8,
            pad=3,
        )
        axes.set_xlim(edges[0], edges[-1])
        axes.locator_params(axis="y", nbins=4)
    every[-1].set_xlabel(across)
    if shown and shown[0].lines:
        every[-1].legend(loc="upper right", bbox_to_anchor=(1, -0.6), ncols=len(STEPS), fontsize=7)
    figure.supylabel(up, fontsize=8)
