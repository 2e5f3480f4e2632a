"""A number of each text by its largest weight, in quarters and by predicted class.

In the form of Jain & Wallace 2019, figures 6 and 8: a violin for each quarter of [0, 1] and each
class.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Bool, Float

from sightline.core.results import Ragged, Results
from sightline.report.figures.palette import INK, label, shade
from sightline.report.figures.plot import Plot, PlotRow, drawn_note, needed
from sightline.report.figures.violins import FEWEST, Violin, draw_violins
from sightline.report.number_format import count
from sightline.stats.distribution_shapes import bin_of, largest, quartiles

if TYPE_CHECKING:
    from matplotlib.figure import Figure

EDGES = np.arange(5) / 4
MOST_CLASSES = 3
"""Most classes drawn next to each other; with more, all texts are drawn together."""
QUARTILES = ("lower_quartile", "median", "upper_quartile")
COLUMNS = ("group", "group_n", *(f"group_{name}" for name in QUARTILES))
"""Columns of the table about the group in which a text is drawn."""
READ = (
    f"Thick line: quartiles; ring: median; over each its texts; fewer than {FEWEST} are drawn one "
    "by one."
)


@dataclass(frozen=True)
class DrawnQuantity:
    """The number that is drawn: names of its column and its axis, its largest value, and what texts
    without it lack.
    """

    column: str
    description: str
    high: float
    lacks: str


@dataclass(frozen=True)
class ViolinTexts:
    """The texts that one violin draws."""

    quarter: int
    name: str
    chosen: Bool[np.ndarray, " N"]
    values: Float[np.ndarray, " N"]

    def cells(self) -> PlotRow:
        """Give the numbers of the drawn group."""
        inside = self.values[self.chosen]
        return (self.name, len(inside), *(quartiles(inside) if len(inside) else (np.nan,) * 3))


def by_weight(
    audit: Results,
    values: Float[np.ndarray, " N"],
    quantity: DrawnQuantity,
    title: str,
    notes: Sequence[str],
    more_columns: Mapping[str, Float[np.ndarray, " N"]] | None = None,
) -> Plot:
    """Draw a number of each text by its largest weight; ``more_columns`` adds columns to the table."""
    attention = needed(audit, "outputs.attention")
    assert isinstance(attention, Ragged)  # a number a word
    weight = largest(attention)
    quarter = np.where(
        np.isfinite(values), bin_of(np.minimum(weight, 1.0), EDGES), -1
    )  # a sum may round above 1
    groups = _groups(np.array([text.predicted for text in audit.texts]), quarter, values)
    more = dict(more_columns or {})
    columns = (
        "id",
        "predicted",
        "largest_weight",
        "weight_from",
        "weight_to",
        quantity.column,
        *more,
        *COLUMNS,
    )
    return Plot(
        title,
        (
            *notes,
            f"{drawn_note(int((quarter >= 0).sum()), len(audit.texts), quantity.lacks)} {READ}",
        ),
        lambda figure: _draw(figure, groups, quantity),
        columns,
        _rows(audit, weight, quarter, (values, *more.values()), groups),
    )


def _groups(
    predicted: np.ndarray, quarter: np.ndarray, values: Float[np.ndarray, " N"]
) -> list[ViolinTexts]:
    """Split the texts by quarter and, if there are few classes, by class."""
    names = sorted(set(predicted.tolist()))
    parts = {name: predicted == name for name in names} if len(names) <= MOST_CLASSES else {}
    parts = parts or {f"all {count(len(names))} classes": np.ones(len(predicted), dtype=bool)}
    return [
        ViolinTexts(place, name, chosen & (quarter == place), values)
        for place in range(len(EDGES) - 1)
        for name, chosen in parts.items()
    ]


def _rows(
    audit: Results,
    weight: np.ndarray,
    quarter: np.ndarray,
    numbers: Sequence[np.ndarray],
    groups: Sequence[ViolinTexts],
) -> list[PlotRow]:
    """Give each text with its group; texts that are not drawn have none."""
    cells = {
        place: group.cells() for group in groups for place in np.flatnonzero(group.chosen).tolist()
    }
    return [
        (
            text.id,
            text.predicted,
            float(weight[i]),
            *(
                (EDGES[quarter[i]].item(), EDGES[quarter[i] + 1].item())
                if i in cells
                else (np.nan, np.nan)
            ),
            *(float(one[i]) for one in numbers),
            *cells.get(i, ("", *(np.nan,) * 4)),
        )
        for i, text in enumerate(audit.texts)
    ]


def _draw(figure: Figure, groups: Sequence[ViolinTexts], quantity: DrawnQuantity) -> None:
    """Draw the classes of each quarter side by side."""
    axes = figure.subplots()
    names = list(dict.fromkeys(group.name for group in groups))
    room = 0.86 / len(names)
    violins = [
        Violin(
            group.quarter + (names.index(group.name) - (len(names) - 1) / 2) * room, room * 0.9,
            group.values[group.chosen], shade(names.index(group.name)),
        )
        for group in groups
    ]  # fmt: skip
    draw_violins(axes, violins, quantity.high * 1.01)
    for place, name in enumerate(names):
        look = shade(place)
        nothing = ([np.nan], [np.nan])
        axes.fill(
            *nothing,
            facecolor=look.colour,
            hatch=look.hatch,
            edgecolor=INK,
            linewidth=0.5,
            label=label(name),
        )
    axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.05), title="predicted")
    axes.set_xticks(
        range(len(EDGES) - 1), [f"{low:g} to {high:g}" for low, high in pairwise(EDGES.tolist())]
    )
    axes.set_xlim(-0.5, len(EDGES) - 1.5)
    axes.set_ylim(-0.02 * quantity.high, quantity.high)
    axes.set_xlabel("largest attention weight of the text (share)")
    axes.set_ylabel(quantity.description)
