"""Every figure of one audit, by its name: one row a figure, and how one is written with its numbers beside it."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from sightline.files import plain, write_bytes
from sightline.report.plots.permutation import permutation_by_weight
from sightline.report.plots.plot import Cell, Plot
from sightline.report.plots.tau import tau_by_class
from sightline.report.plots.transplant import transplant
from sightline.report.sheets.csv import guarded
from sightline.results import Results


@dataclass(frozen=True)
class Figure:
    """What a figure shows, in words, and what draws it."""

    told: str
    draw: Callable[[Results], Plot]


FIGURES: Mapping[str, Figure] = {
    "tau-by-class": Figure("Kendall’s τ-b of attention and gradient: texts counted, by predicted class", tau_by_class),
    "permutation-by-weight": Figure(
        "how far the output moves under permuted weights, by the largest weight of a text", permutation_by_weight
    ),
    "transplant": Figure("what the top words of every map carry, or lose where they are removed", transplant),
}


def numbers_of(path: Path) -> Path:
    """Say where the numbers of a figure lie: beside it, under its name."""
    return path.with_suffix(".csv")


def write_figure(audit: Results, name: str, path: Path) -> Path:
    """Write a figure as SVG, and its numbers as CSV beside it, in full; what is undefined is empty."""
    plot = FIGURES[name].draw(audit)
    out = io.StringIO()
    rows = csv.writer(out)
    rows.writerow(plot.columns)
    rows.writerows([_cell(each) for each in row] for row in plot.rows)
    write_bytes(numbers_of(path), _encoded(out.getvalue()))
    return write_bytes(path, _encoded(plot.svg))


def _cell(value: Cell) -> Cell | None:
    cell: Cell | None = guarded(value) if isinstance(value, str) else plain(value)
    return cell


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "backslashreplace")
