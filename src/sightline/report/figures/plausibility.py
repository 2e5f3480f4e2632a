"""Plausible and faithful in one plot: how well maps find the rationale, and how much of the
prediction their words transfer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sightline.config.word_maps import RIVALS, SIGNED_RIVALS
from sightline.core.errors import DataError
from sightline.core.results import Estimate, Results
from sightline.report.figures.adversary_families import model_on, run_of
from sightline.report.figures.palette import INK, PALE, label, shade
from sightline.report.figures.plot import Plot, PlotRow, left_out_note
from sightline.report.map_names import map_title
from sightline.report.number_format import count_range
from sightline.stats.across_seeds import across_seeds
from sightline.verdict.rationale_estimates import above_chance

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST = 6
"""Models that are drawn; the table has all."""
HIGH = 3.0
"""Height of the axes of one model, in inches."""
COLUMNS = (
    "model",
    "map",
    "audits",
    *(
        f"{kind}{end}"
        for kind in ("auprc_above_chance", "carried")
        for end in ("", "_low", "_high", "_n")
    ),
)


@dataclass(frozen=True)
class MapPoint:
    """One map of one model: its AUPRC above chance, its transfer, and the number of audits."""

    model: str
    name: str
    audits: int
    found: Estimate
    carried: Estimate


def plausibility(audits: Iterable[Results]) -> Plot:
    """Draw every map by both numbers, one panel a model; audits of one model are seeds, and are
    averaged.
    """
    models: dict[str, list[Mapping[str, tuple[Estimate, Estimate]]]] = {}
    for place, audit in enumerate(audits):
        if known := _maps(audit):
            models.setdefault(_model(audit, place), []).append(known)
    if not models:
        raise DataError(
            "the figure needs the measures rationale (on texts with rationales) and transplant; "
            "none of these audits has both; choose another figure"
        )
    panels = [
        [_both(model, name, found) for name in _names(found)] for model, found in models.items()
    ]
    shown = panels[:MOST]
    n = count_range(one.found.n for panel in shown for one in panel)
    left = left_out_note(len(panels) - MOST, "model")
    return Plot(
        "Plausible and faithful: the rationale that maps find, and what their words transfer",
        (
            "Horizontal: area under precision and recall of the rationale, minus its value for "
            "the permuted map (DeYoung et al. 2020, §4.1). Vertical: the part of the "
            "prediction that the top words carry into another text, 0 being random words, on "
            "the half of the texts that did not choose the map. Open marks: signed maps. Lines: "
            "95 % intervals, over seeds where a model has several audits, else over texts. n = "
            f"{n} texts with a rationale an audit.{left}",
        ),
        lambda figure: _draw(figure, shown),
        COLUMNS,
        [_cells(one) for panel in panels for one in panel],
        1.1 + HIGH * len(shown),
    )


def _maps(audit: Results) -> dict[str, tuple[Estimate, Estimate]]:
    """Give both numbers of every map that has both."""
    found = {row.name: (above_chance(audit, row.name), row.carried) for row in audit.maps}
    return {
        name: (across, up) for name, (across, up) in found.items() if across and up and across.n
    }


def _model(audit: Results, place: int) -> str:
    """Name a model without its seed; a model that no run trained has its own name."""
    run = run_of(audit)
    return f"audit {place + 1}" if run is None else model_on(run)


def _names(found: Sequence[Mapping[str, object]]) -> list[str]:
    return list(dict.fromkeys(name for one in found for name in one))


def _both(
    model: str, name: str, audits: Sequence[Mapping[str, tuple[Estimate, Estimate]]]
) -> MapPoint:
    known = [one[name] for one in audits if name in one]
    found, carried = ([each[place] for each in known] for place in (0, 1))
    return MapPoint(
        model, name, len(known), across_seeds(found, (-1.0, 1.0)), across_seeds(carried)
    )


def _cells(one: MapPoint) -> PlotRow:
    numbers = (
        cell
        for each in (one.found, one.carried)
        for cell in (each.value, each.low, each.high, each.n)
    )
    return (one.model, one.name, one.audits, *numbers)


def _draw(figure: Figure, panels: Sequence[Sequence[MapPoint]]) -> None:
    every = figure.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
    for axes, panel in zip(every, panels, strict=True):
        axes.axvline(0, color=PALE, linewidth=0.8)
        axes.axhline(0, color=PALE, linewidth=0.8)
        for one in panel:
            _point(axes, one)
        axes.set_title(label(panel[0].model, 90), loc="left", fontsize=8, pad=3)
        axes.set_ylabel("part of the prediction carried")
        axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))
    every[-1].set_xlabel("AUPRC of the rationale, above chance")


def _point(axes: Axes, one: MapPoint) -> None:
    """Draw a map with both intervals; a signed map has the mark of its unsigned version, open."""
    look = shade(RIVALS.index(one.name.removeprefix("signed_")))
    x, y = one.found, one.carried
    axes.plot([x.low, x.high], [y.value] * 2, "-", color=look.colour, linewidth=0.8)
    axes.plot([x.value] * 2, [y.low, y.high], "-", color=look.colour, linewidth=0.8)
    inside = "white" if one.name in SIGNED_RIVALS else look.colour
    axes.plot(
        [x.value],
        [y.value],
        look.mark,
        color=inside,
        markeredgecolor=look.colour if inside == "white" else INK,
        markersize=5,
        label=map_title(one.name),
    )
