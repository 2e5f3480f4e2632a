"""Agreement of attention with importance over λ of a sparse projection (Meister et al. 2021,
figure 3).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from sightline.config.part_syntax import Part
from sightline.config.registry import resolve_options
from sightline.config.specs import RunSpec
from sightline.core.errors import DataError
from sightline.core.results import Measurement, Results
from sightline.report.figures.adversary_families import model_on, run_of
from sightline.report.figures.palette import PALE, label, shade
from sightline.report.figures.plot import Plot, PlotRow, left_out_note
from sightline.report.number_format import count_range, interval
from sightline.stats.parameter_sweep import Point, SweepRun, mean_sweep_tau, points
from sightline.verdict.audit_clusters import clusters_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PROJECTION, SETTING = "sparsegen", "lambda"
MAPS = {
    "gradient_through": "inputs, gradient",
    "deletion": "inputs, leave-one-out",
    "state_gradient": "states, gradient",
    "state_deletion": "states, removal",
}
"""The importances that attention is compared with, by their names in the legend."""
MOST, HIGH = 4, 2.6
"""Models that are drawn (the table has all), and inches of the axes of one."""
COLUMNS = (
    "model", "importance", "lambda", "seeds",
    *(f"{kind}{end}" for kind in ("tau", "support") for end in ("", "_low", "_high", "_n")),
    "tau_with_lambda", "tau_with_lambda_low", "tau_with_lambda_high",
)  # fmt: skip


@dataclass(frozen=True)
class ImportanceLine:
    """One importance of one model, over λ."""

    model: str
    name: str
    found: Sequence[SweepRun]

    def points(self) -> list[Point]:
        """Average at each λ."""
        return points(self.found)


def sparsity_sweep(audits: Iterable[Results]) -> Plot:
    """Draw τ-b of attention with each importance over λ, log-scaled below −1, with the number of
    words with weight.
    """
    lines = _lines(audits)
    models = list(dict.fromkeys(line.model for line in lines))
    if not any(len(line.points()) > 1 for line in lines):
        raise DataError(
            "the figure needs runs of one model under sparsegen(lambda=…) with several λ and "
            "the measure state_agreement; none of these audits has them; choose another "
            "figure"
        )
    panels = [[line for line in lines if line.model == model] for model in models]
    n = count_range(point.value.n for line in lines for point in line.points())
    left = left_out_note(len(models) - MOST, "model")
    return Plot(
        "Attention and importance along the sparsity of the projection",
        (
            "After Meister et al. 2021, figure 3. λ is an inverse temperature: weights are "
            "the sparsemax of scores over 1 − λ. Log-scaled below −1. Lines up: 95 % "
            "intervals, over seeds where there are several, else over texts; under each λ "
            f"the mean number of words with any weight. n = {n} texts.{left}",
        ),
        lambda figure: _draw(figure, panels[:MOST]),
        COLUMNS,
        [row for line in lines for row in _rows(line)],
        1.0 + HIGH * min(len(models), MOST),
    )


def _lines(audits: Iterable[Results]) -> list[ImportanceLine]:
    """Group the runs that differ only in λ and seed."""
    found: dict[tuple[str, str], list[SweepRun]] = {}
    for audit in audits:
        run, measured = run_of(audit), audit.measurements.get("state_agreement")
        if (
            run is None
            or run.model.projection.name != PROJECTION
            or not isinstance(measured, Measurement)
        ):
            continue
        setting = float(resolve_options("projection", run.model.projection)[SETTING])
        support = np.asarray(measured.values["support"], dtype=float)
        for name in MAPS:
            values = np.asarray(measured.values[f"tau.{name}"], dtype=float)
            found.setdefault((_model(run), name), []).append(
                SweepRun(setting, run.seed, values, support, clusters_of(audit))
            )
    return [ImportanceLine(model, name, runs) for (model, name), runs in found.items()]


def _model(run: RunSpec) -> str:
    """Name a model without its λ and its seed."""
    return model_on(replace(run, model=replace(run.model, projection=Part(PROJECTION))))


def _rows(line: ImportanceLine) -> Iterable[PlotRow]:
    trend = mean_sweep_tau(line.found)
    for point in line.points():
        numbers = [
            cell
            for one in (point.value, point.support)
            for cell in (one.value, one.low, one.high, one.n)
        ]
        yield (
            line.model,
            line.name,
            point.setting,
            point.seeds,
            *numbers,
            trend.value,
            trend.low,
            trend.high,
        )


def _draw(figure: Figure, panels: Sequence[Sequence[ImportanceLine]]) -> None:
    every = figure.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
    for axes, panel in zip(every, panels, strict=True):
        axes.axhline(0, color=PALE, linewidth=0.8)
        for line in panel:
            _joined(axes, line)
        supports = {point.setting: point.support.value for point in panel[0].points()}
        axes.set_xscale("symlog", linthresh=1)
        axes.minorticks_off()
        axes.set_xticks(
            [*supports], [f"{setting:g}\n{words:.1f}" for setting, words in supports.items()]
        )
        axes.tick_params(axis="x", labelbottom=True)
        axes.set_title(label(panel[0].model, 90), loc="left", fontsize=8, pad=3)
        axes.set_ylabel("τ-b with attention")
        axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), title="τ-b of λ and it")
    every[-1].set_xlabel("λ, and the mean number of words with any weight")


def _joined(axes: Axes, line: ImportanceLine) -> None:
    """Join the means in the order of λ, each with its interval; the legend has their τ-b with λ."""
    look, found = shade([*MAPS].index(line.name)), line.points()
    for point in found:
        axes.plot(
            [point.setting] * 2,
            [point.value.low, point.value.high],
            "-",
            color=look.colour,
            linewidth=0.8,
        )
    axes.plot(
        [point.setting for point in found],
        [point.value.value for point in found],
        **look.marked_line,
        label=f"{MAPS[line.name]}: {interval(mean_sweep_tau(line.found))}",
    )
