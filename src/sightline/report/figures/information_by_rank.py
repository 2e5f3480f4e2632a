"""Attention and information by rank, as in Wen et al. (2022, figure 2), and how uneven attention
is.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sightline.core.errors import DataError
from sightline.core.results import Estimate, Measurement, Results
from sightline.report.figures.adversary_families import model_on, run_of
from sightline.report.figures.palette import INK, PALE, Shade, label, shade
from sightline.report.figures.plot import Plot, PlotRow, left_out_note
from sightline.report.number_format import count

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

TARGETS = {
    "output": "own answer, as published",
    "decoupled": "answer under uniform attention",
    "label": "gold label",
}
"""The targets of probes by rank; the first is computed from attention."""
MOST, LONGEST = 14, 45
"""Models that are drawn (the table has all), and most letters of a model's name."""
COLUMNS = (
    "model",
    "seed",
    "target",
    "tau",
    "tau_low",
    "tau_high",
    "D",
    "D_low",
    "D_high",
    "n",
    "flatness",
    "critical_tau",
)


@dataclass(frozen=True)
class Ranked:
    """One audit: its model, its seed, and what its ranks know of each target."""

    model: str
    seed: str
    tau: dict[str, Estimate]
    contrast: dict[str, Estimate]
    flatness: float
    critical: float | None
    """The τ that chance seldom reaches; None if chance often reaches every τ."""

    def rows(self) -> list[PlotRow]:
        """Give one row a target."""
        rare = math.nan if self.critical is None else self.critical
        return [
            (
                self.model,
                self.seed,
                name,
                *_cells(self.tau[name]),
                *_cells(one),
                one.n,
                self.flatness,
                rare,
            )
            for name, one in self.contrast.items()
        ]


def _cells(one: Estimate) -> tuple[float, float, float]:
    return one.value, one.low, one.high


def ranks(audits: Iterable[Results]) -> Plot:
    """Draw τ of every model for each target, as a box over its audits, and over how uneven
    attention is.
    """
    found = [one for place, audit in enumerate(audits) if (one := _ranked(audit, place))]
    if not found:
        raise DataError(
            "the figure needs what ranks know (the measure information), which none of these "
            "audits has; choose another figure"
        )
    models = list(dict.fromkeys(one.model for one in found))
    shown = [one for one in found if one.model in models[:MOST]]
    left = left_out_note(len(models) - MOST, "model")
    return Plot(
        "Does information fall as attention does? Published τ, by model",
        (
            "Shieh’s τ of counted information with mean attention over ranks (Wen et al. "
            "2022), mean of five starts of k-means. Boxes: quartiles over the audits of a "
            "model, with every audit as a mark; below, each mark is an audit. The model’s "
            "own answer is computed from attention, the other two targets are not. "
            f"{count(len(found))} audits; numbers of texts, intervals and the contrast D are "
            f"in the table.{left}",
        ),
        lambda figure: _draw(figure, shown, models[:MOST]),
        COLUMNS,
        [row for one in found for row in one.rows()],
        3.6 + 0.42 * len(models[:MOST]),
    )


def _ranked(audit: Results, place: int) -> Ranked | None:
    measured, run = audit.measurements.get("information"), run_of(audit)
    if not isinstance(measured, Measurement) or not measured.whole[f"D.{next(iter(TARGETS))}"].n:
        return None
    who = f"audit {place + 1}"
    if run is not None:
        who = ", ".join(
            filter(None, (run.altered, f"{'untrained ' * (not run.fit.epochs)}{model_on(run)}"))
        )
    tau, contrast = (
        {name: measured.whole[f"{kind}.{name}"] for name in TARGETS} for kind in ("paper.tau", "D")
    )
    flatness, critical = measured.whole["flatness"].value, measured.settings["critical_tau"]
    return Ranked(who, "" if run is None else str(run.seed), tau, contrast, flatness, critical)


def _draw(figure: Figure, found: Sequence[Ranked], models: Sequence[str]) -> None:
    from matplotlib.ticker import LogLocator, NullFormatter  # noqa: PLC0415  (an extra)

    left, right = figure.subplots(2, 1, height_ratios=(max(2, 0.4 * len(models)), 2))
    for place, (name, title) in enumerate(TARGETS.items()):
        look = shade(place)
        _boxes(
            left,
            [[one.tau[name].value for one in found if one.model == m] for m in models],
            place,
            look,
        )
        right.plot(
            [one.flatness for one in found], [one.tau[name].value for one in found], look.mark,
            color=look.colour, markeredgecolor=INK, markersize=4, linestyle="none", label=title,
        )  # fmt: skip
    left.set_yticks(range(len(models)), [label(model, LONGEST) for model in models], fontsize=6)
    left.invert_yaxis()
    for axes in (left, right):
        axes.grid(visible=False)
    left.axvline(0, color=PALE, linewidth=0.8)
    left.set_xlim(-1.05, 1.05)
    left.set_xlabel("τ with attention")
    right.axhline(0, color=PALE, linewidth=0.8)
    right.set_xscale("log")
    # the formatter of a logarithmic axis writes formulas, which are not drawn
    right.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    right.xaxis.set_major_formatter("{x:g}")
    right.xaxis.set_minor_formatter(NullFormatter())
    right.set_ylim(-1.05, 1.05)
    right.set_xlabel("weight of the first rank over the last")
    right.set_ylabel("τ with attention")
    left.legend(
        *right.get_legend_handles_labels(),
        loc="lower right",
        bbox_to_anchor=(1, 1),
        ncols=3,
        fontsize=7,
    )


def _boxes(axes: Axes, groups: Sequence[Sequence[float]], place: int, look: Shade) -> None:
    """Draw a box for each model and target, with a mark for every audit."""
    at = [row + 0.26 * (place - 1) for row in range(len(groups))]
    drawn = axes.boxplot(
        list(groups),
        positions=at,
        orientation="horizontal",
        widths=0.2,
        showfliers=False,
        manage_ticks=False,
        patch_artist=True,
    )
    for box in drawn["boxes"]:
        box.set(facecolor="white", edgecolor=look.colour)
    for part in ("medians", "whiskers", "caps"):
        for line in drawn[part]:
            line.set(color=look.colour)
    for y, values in zip(at, groups, strict=True):
        axes.plot(
            values, [y] * len(values), look.mark, color=look.colour, markersize=3, linestyle="none"
        )
