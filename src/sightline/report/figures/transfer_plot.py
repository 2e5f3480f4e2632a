"""What the top words of every map carry into another text, and lose when removed: scores with
intervals.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sightline.core.errors import DataError
from sightline.core.results import Estimate, Results
from sightline.report.alternative_maps import MEASURED, compared_on, numbers
from sightline.report.figures.interval_plot import draw_intervals
from sightline.report.figures.palette import label
from sightline.report.figures.plot import Plot, PlotRow
from sightline.report.map_names import map_title
from sightline.report.number_format import level_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Found = tuple[str, str, Estimate]
"""What was done with the words of a map, the map's name, and the score."""


def transplant(audit: Results) -> Plot:
    """Draw one panel for each thing done with the words, with one row a map."""
    found = [
        (did, map_title(row.name), one)
        for row in audit.maps
        for did, one in numbers(row).items()
        if one is not None
    ]
    if not found:
        raise DataError(
            "the figure needs several maps, which this audit does not have; choose another figure"
        )
    which = " of the half that did not choose among the maps" if compared_on(audit) is None else ""
    panels = {did: [one for one in found if one[0] == did] for did in MEASURED.values()}
    shown = {did: rows for did, rows in panels.items() if rows}
    rows: list[PlotRow] = [
        (did, name, one.value, one.low, one.high, one.n) for did, name, one in found
    ]
    return Plot(
        "What the words of each map do",
        (
            (
                "0: what random words do; 1: the reference, no bound. Lines: "
                f"{level_of(one for _, _, one in found)} % intervals; n counts texts{which}."
            ),
        ),
        lambda figure: _draw(figure, shown),
        ("what", "map", "value", "low", "high", "n"),
        rows,
        0.9 + sum(0.45 + 0.19 * len(each) for each in shown.values()),
    )


def _draw(figure: Figure, panels: dict[str, list[Found]]) -> None:
    heights = [1 + len(rows) for rows in panels.values()]
    every = figure.subplots(len(panels), 1, sharex=True, squeeze=False, height_ratios=heights)[:, 0]
    for place, (axes, (did, rows)) in enumerate(zip(every, panels.items(), strict=True)):
        draw_intervals(axes, [(label(name), one) for _, name, one in rows], place, zero=True)
        axes.set_title(f"Part of the prediction {did}", loc="left", fontsize=8, pad=3)
    every[-1].set_xlabel("part of the prediction (share, 0: random words)")
