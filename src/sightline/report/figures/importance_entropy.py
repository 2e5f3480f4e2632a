"""How evenly importance is spread over the words, text by text, for each projection (Meister et al.
2021, figure 2).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Float

from sightline.core.errors import DataError
from sightline.core.results import Measurement, Results
from sightline.report.figures.adversary_families import model_on, run_of
from sightline.report.figures.by_max_weight import COLUMNS as GROUP
from sightline.report.figures.by_max_weight import READ
from sightline.report.figures.palette import label, shade
from sightline.report.figures.plot import Plot, PlotRow, left_out_note
from sightline.report.figures.violins import Violin, draw_violins
from sightline.report.map_names import map_title
from sightline.report.number_format import count
from sightline.stats.distribution_shapes import quartiles

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MAPS = ("gradient_through", "deletion")
"""The importances of inputs, one panel each."""
MOST, HIGH = 10, 2.2
"""Audits that are drawn (the table has all), and inches of a panel."""


@dataclass(frozen=True)
class EntropyGroup:
    """One audit under one importance."""

    who: str
    short: str
    name: str
    texts: tuple[str, ...]
    values: Float[np.ndarray, " N"]

    @property
    def known(self) -> Float[np.ndarray, " M"]:
        """Give the numbers that are defined."""
        return np.asarray(self.values[np.isfinite(self.values)])


def evenness(audits: Iterable[Results]) -> Plot:
    """Draw the entropy of the importance of inputs, one violin an audit, by gradient and by
    leave-one-out.
    """
    groups = [group for place, audit in enumerate(audits) for group in _groups(audit, place)]
    if not groups:
        raise DataError(
            "the figure needs the measure state_agreement, which none of these audits has; "
            "choose another figure"
        )
    panels = [[group for group in groups if group.name == name] for name in MAPS]
    undefined = sum(len(group.values) - len(group.known) for group in groups)
    left = left_out_note(len(panels[0]) - MOST, "audit")
    return Plot(
        "How evenly importance is spread over the words",
        (
            "After Meister et al. 2021, figure 2. Normalised entropy of the importance of inputs: "
            f"1 if all words matter equally, 0 if only one word matters. {READ} "
            f"Undefined: {count(undefined)} of "
            f"{count(sum(len(group.values) for group in groups))} numbers. Audits by number "
            f"and projection; the table names their models.{left}",
        ),
        lambda figure: _draw(figure, [panel[:MOST] for panel in panels]),
        ("audit", "importance", "id", "entropy", *GROUP[1:]),
        [row for group in groups for row in _rows(group)],
        1.6 + HIGH * len(panels),
    )


def _groups(audit: Results, place: int) -> Iterator[EntropyGroup]:
    measured, run = audit.measurements.get("state_agreement"), run_of(audit)
    who = f"audit {place + 1}" if run is None else f"{model_on(run)}, seed {run.seed}"
    short = str(place + 1) if run is None else f"{place + 1}: {run.model.projection}"
    if isinstance(measured, Measurement):
        for name in MAPS:
            values = np.asarray(measured.values[f"entropy.{name}"], dtype=float)
            yield EntropyGroup(who, short, name, tuple(text.id for text in audit.texts), values)


def _rows(group: EntropyGroup) -> Iterator[PlotRow]:
    drawn = (len(group.known), *(quartiles(group.known) if len(group.known) else (np.nan,) * 3))
    for text, value in zip(group.texts, group.values.tolist(), strict=True):
        yield (group.who, group.name, text, value, *drawn)


def _draw(figure: Figure, panels: Sequence[Sequence[EntropyGroup]]) -> None:
    every = figure.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
    for place, (axes, panel) in enumerate(zip(every, panels, strict=True)):
        draw_violins(
            axes,
            [Violin(float(at), 0.8, one.known, shade(place)) for at, one in enumerate(panel)],
            1.02,
        )
        axes.set_ylim(-0.02, 1)
        axes.set_xlim(-0.6, max(len(panel), 4) - 0.4)
        axes.set_title(f"importance by {map_title(panel[0].name)}", loc="left", fontsize=8, pad=13)
    every[-1].set_xticks(
        range(len(panels[0])), [label(one.short) for one in panels[0]], rotation=20, ha="right"
    )
    figure.supylabel("entropy of importance (share of the most)", fontsize=8)
