"""How far attention and outputs of adversarial models are from their base model, over λ (Tutek &
Šnajder 2020, figure 1).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from sightline.core.errors import DataError
from sightline.core.results import Results
from sightline.report.figures.adversary_families import (
    Adversary,
    AdversaryFamily,
    ModelDistance,
    control_title,
    families,
)
from sightline.report.figures.palette import INK, label, shade
from sightline.report.figures.plot import Plot, PlotRow, left_out_note
from sightline.report.number_format import count, count_range

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST = 4
"""Base models that are drawn; the table has all."""
HIGH = 3.8
"""Height of the axes of one base, in inches."""
_NEAR = 0.055
"""Distance, as a share of the axes, within which one λ would cover another."""
_AROUND = ("x", "+", "1", "*")
COLUMNS = (
    "base", "base_is", "run", "trained", "divergence", "lambda", "companion",
    *(f"{kind}{end}" for kind in ("jsd", "tvd") for end in ("", "_low", "_high", "_n")),
)  # fmt: skip


def adversaries(audits: Iterable[Results]) -> Plot:
    """Draw each adversarial model, joined in the order of λ, and the control models of the base."""
    found = [family for family in families(audits) if family.adversaries]
    if not found:
        raise DataError(
            "the figure needs runs of adversaries (fit.adversary) with the measure `beside` "
            "and the control model base; none of these audits has them; choose another figure"
        )
    rows = [row for family in found for row in _rows(family)]
    left = left_out_note(len(found) - MOST, "base")
    drawn = sum(len(family.adversaries) for family in found[:MOST])
    n = count_range(one.apart.jsd.n for family in found for one in family.adversaries)
    return Plot(
        "Adversaries: how far their attention and their answers are from those of the base",
        (
            "After Tutek & Šnajder 2020, figure 1. Means over texts; lines: 95 % intervals. The "
            f"numbers are λ, written once where points are close. n = {n} texts for each of "
            f"{count(drawn)} adversaries, undefined "
            f"{count(sum(family.undefined for family in found))}. JSD is in nats and at most "
            f"ln 2 = 0.693.{left}",
        ),
        lambda figure: _draw(figure, found[:MOST]),
        COLUMNS,
        rows,
        0.9 + HIGH * min(len(found), MOST),
    )


def _rows(family: AdversaryFamily) -> Iterable[PlotRow]:
    for one in family.controls:
        yield (family.base, family.name, "", "", "", math.nan, one.name, *_cells(one))
    for adversary in (one for members in family.series().values() for one in members):
        training = (adversary.trained, adversary.divergence, adversary.weight, "")
        yield (family.base, family.name, adversary.run, *training, *_cells(adversary.apart))


def _cells(one: ModelDistance) -> PlotRow:
    return tuple(
        cell for each in (one.jsd, one.tvd) for cell in (each.value, each.low, each.high, each.n)
    )


def _draw(figure: Figure, found: Sequence[AdversaryFamily]) -> None:
    every = figure.subplots(len(found), 1, squeeze=False, sharey=True)[:, 0]  # bases are compared
    for axes, family in zip(every, found, strict=True):
        for place, (name, members) in enumerate(family.series().items()):
            _joined(axes, place, name, members)
        for place, kind in enumerate(dict.fromkeys(map(_kind, family.controls))):
            _companions(
                axes,
                _AROUND[place % len(_AROUND)],
                kind,
                [one for one in family.controls if _kind(one) == kind],
            )
        axes.set_xlim(-0.015, math.log(2))
        axes.set_ylim(bottom=0)
        axes.margins(y=0.12)
        axes.autoscale(axis="y")
        axes.set_ylim(bottom=0)
        _write_weights(axes, family)
        axes.set_title(label(family.name, 90), loc="left", fontsize=8, pad=3)
        axes.set_xlabel("JSD of attention (nats)")
        axes.set_ylabel("change of the answer (total variation)")
        axes.legend(loc="upper left", bbox_to_anchor=(0, -0.16), ncols=2)


def _kind(one: ModelDistance) -> str:
    """Give control models of one kind the same name: other seeds share one."""
    kind = one.name.partition("(")[0]
    return "another seed" if kind == "seed" else control_title(kind)


def _joined(axes: Axes, place: int, name: str, members: Sequence[Adversary]) -> None:
    look = shade(place)
    aparts = [one.apart for one in members]
    _crosses(axes, aparts, look.colour)
    axes.plot(
        [one.jsd.value for one in aparts],
        [one.tvd.value for one in aparts],
        **look.marked_line,
        label=name,
    )


def _companions(axes: Axes, mark: str, name: str, aparts: Sequence[ModelDistance]) -> None:
    _crosses(axes, aparts, INK)
    across, up = [one.jsd.value for one in aparts], [one.tvd.value for one in aparts]
    axes.plot(across, up, mark, color=INK, markersize=6, label=label(name))


def _crosses(axes: Axes, aparts: Sequence[ModelDistance], colour: str) -> None:
    """Draw both intervals of each model."""
    for one in aparts:
        axes.plot(
            [one.jsd.low, one.jsd.high], [one.tvd.value] * 2, "-", color=colour, linewidth=0.8
        )
        axes.plot(
            [one.jsd.value] * 2, [one.tvd.low, one.tvd.high], "-", color=colour, linewidth=0.8
        )


def _write_weights(axes: Axes, family: AdversaryFamily) -> None:
    """Write each λ at its point, unless another one is there already."""
    (left, right), (low, high) = axes.get_xlim(), axes.get_ylim()
    taken: list[tuple[float, float]] = []
    for one in (one for members in family.series().values() for one in members):
        x, y = one.apart.jsd.value, one.apart.tvd.value
        place = ((x - left) / (right - left), (y - low) / (high - low))
        if math.isfinite(x + y) and all(
            abs(place[0] - a) > 2 * _NEAR or abs(place[1] - b) > _NEAR for a, b in taken
        ):
            taken.append(place)
            axes.annotate(f"{one.weight:g}", (x, y), (4, 5), textcoords="offset points", fontsize=6)
