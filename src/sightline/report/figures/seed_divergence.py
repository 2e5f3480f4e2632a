"""How far attention is from the base model's under other seeds and in adversarial models, by text.

One violin each, in the form of Wiegreffe & Pinter 2019.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Float

from sightline.core.errors import DataError
from sightline.core.results import Results
from sightline.report.figures.adversary_distance import MOST
from sightline.report.figures.adversary_families import (
    Adversary,
    AdversaryFamily,
    ModelDistance,
    control_title,
    families,
)
from sightline.report.figures.by_max_weight import QUARTILES, READ
from sightline.report.figures.palette import label, shade
from sightline.report.figures.plot import Plot, PlotRow, left_out_note
from sightline.report.figures.violins import Violin, draw_violins
from sightline.report.number_format import count
from sightline.stats.distribution_shapes import quartiles

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

HIGH, PER_ROW = 1.65, 10
"""Inches of a row of violins, and most violins in a row."""
COLUMNS = (
    "base",
    "base_is",
    "who",
    "run",
    "trained",
    "divergence",
    "lambda",
    "id",
    "largest_weight_of_base",
    "jsd",
    "who_n",
    *(f"who_{name}" for name in QUARTILES),
)


@dataclass(frozen=True)
class SeedViolin:
    """One violin: a control model of the base, or an adversarial model."""

    name: str
    apart: ModelDistance
    adversary: Adversary | None = None

    def known(self) -> Float[np.ndarray, " M"]:
        """Give the numbers that are defined."""
        return np.asarray(self.apart.by_text[np.isfinite(self.apart.by_text)])


@dataclass(frozen=True)
class ViolinPanel:
    """The violins of one row."""

    title: str
    members: Sequence[SeedViolin]


def seeds_and_adversaries(audits: Iterable[Results]) -> Plot:
    """Draw the divergence of attention of each text, one violin a seed or adversarial model."""
    if not (found := families(audits)):
        raise DataError(
            "the figure needs the measure `beside`, with control models such as seed(by=1), or "
            "base where a run is an adversary; none of these audits has it; choose another "
            "figure"
        )
    shown = [panel for family in found[:MOST] for panel in _panels(family, named=len(found) > 1)]
    every = [
        one for family in found for panel in _panels(family, named=False) for one in panel.members
    ]
    numbers = sum(len(one.apart.by_text) for one in every)
    undefined = sum(family.undefined for family in found)
    left = left_out_note(len(found) - MOST, "base")
    return Plot(
        "How far attention is from the base model’s, text by text",
        (
            "After Wiegreffe & Pinter 2019. JSD in nats, at most ln 2 = 0.693. "
            f"{READ} Undefined: {count(undefined)} of {count(numbers)} numbers.{left}",
        ),
        lambda figure: _draw(figure, shown),
        COLUMNS,
        [row for family in found for row in _rows(family)],
        1.2 + HIGH * len(shown),
    )


def _panels(family: AdversaryFamily, *, named: bool) -> list[ViolinPanel]:
    """Put the control models of the base in one row, and adversarial models that differ only in λ
    in others.
    """
    head = f"{label(family.name, 60)}: " if named else ""
    controls = [SeedViolin(control_title(one.name), one) for one in family.controls]
    series = {
        name: [SeedViolin(f"λ = {one.weight:g}", one.apart, one) for one in all_]
        for name, all_ in family.series().items()
    }
    rows = {
        "control models of the base": controls,
        **{f"adversaries: {name}": all_ for name, all_ in series.items()},
    }
    return [
        ViolinPanel(f"{head}{title}", members[start : start + PER_ROW])
        for title, members in rows.items()
        for start in range(0, len(members), PER_ROW)
    ]


def _rows(family: AdversaryFamily) -> Iterator[PlotRow]:
    for panel in _panels(family, named=False):
        for one in panel.members:
            known, adversary = one.known(), one.adversary
            training = ("", "", "", math.nan) if adversary is None else (
                adversary.run, adversary.trained, adversary.divergence, adversary.weight
            )  # fmt: skip
            drawn = (len(known), *(quartiles(known) if len(known) else (math.nan,) * 3))
            for text, jsd in zip(one.apart.texts, one.apart.by_text.tolist(), strict=True):
                weight = family.weights.get(text, math.nan)
                yield (
                    family.base,
                    family.name,
                    one.apart.name,
                    *training,
                    text,
                    weight,
                    jsd,
                    *drawn,
                )


def _draw(figure: Figure, panels: Sequence[ViolinPanel]) -> None:
    every = figure.subplots(len(panels), 1, sharey=True, squeeze=False)[:, 0]
    for place, (axes, panel) in enumerate(zip(every, panels, strict=True)):
        _row(axes, panel, place)
    figure.supylabel("JSD of attention (nats)", fontsize=8)


def _row(axes: Axes, panel: ViolinPanel, place: int) -> None:
    violins = [
        Violin(float(at), 0.8, one.known(), shade(place)) for at, one in enumerate(panel.members)
    ]
    draw_violins(axes, violins, math.log(2) * 1.02)
    axes.set_xticks(range(len(panel.members)), [label(one.name, 16) for one in panel.members])
    axes.set_xlim(-0.6, max(len(panel.members), 6) - 0.4)
    axes.set_ylim(-0.02, math.log(2))
    axes.set_title(panel.title, loc="left", fontsize=8, pad=13)
