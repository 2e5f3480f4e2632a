"""Kendall's τ-b of attention and gradient, a histogram for each predicted class (Jain & Wallace 2019, figure 2)."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from markupsafe import Markup

from sightline.report.axes import Axis
from sightline.report.figures import MOST_CLASSES
from sightline.report.numerals import count
from sightline.report.plots.plot import BOX, TEXT, Cell, Plot, along, needed, svg
from sightline.report.visible import one_line, shortened
from sightline.results import Results
from sightline.statistics.shapes import counted

WIDTH, LEFT, RIGHT, HIGH, HEAD, FOOT = 420, 10, 410, 70, 34, 26
EDGES = np.arange(-10, 11) / 10  # the numbers nearest to tenths, which a sum of steps is not


def tau_by_class(audit: Results) -> Plot:
    """Count the texts of each predicted class by τ-b; those without one are counted beside them."""
    tau = np.asarray(needed(audit, "agreement.tau.gradient"), dtype=float)
    predicted = np.array([text.predicted for text in audit.texts])
    rows: list[tuple[Cell, ...]] = []
    body: list[Markup] = []
    names = sorted(set(predicted.tolist()))
    for place, name in enumerate(names):
        here = tau[predicted == name]
        bins, unknown = counted(here, EDGES).tolist(), int(np.isnan(here).sum())
        rows += [(name, low, high, n) for (low, high), n in zip(pairwise(EDGES.tolist()), bins, strict=True)]
        rows.append((name, "undefined", "undefined", unknown))
        if place < MOST_CLASSES:
            body += _panel(name, bins, unknown, place * (HEAD + HIGH + FOOT))
    height = min(len(names), MOST_CLASSES) * (HEAD + HIGH + FOOT) + 6
    title = "Kendall’s τ-b of attention and gradient, by predicted class"
    desc = f"Texts by τ-b in bins of 0.1, a panel for each of the first {MOST_CLASSES} classes, each of its own height."
    return Plot(svg(WIDTH, height, title, desc, body), ("predicted", "tau_from", "tau_to", "texts"), rows)


def _panel(name: str, bins: list[int], unknown: int, top: int) -> list[Markup]:
    """Draw the bins of one class under its name and its n."""
    axis, bottom, most = Axis(-1, 1, LEFT, RIGHT), top + HEAD + HIGH, max([*bins, 1])
    told = f"n = {count(sum(bins))}" + (f", undefined {count(unknown)}" if unknown else "")
    parts = [
        TEXT.format(LEFT, top + 20, "head", "start", shortened(one_line(name), 30)),
        TEXT.format(RIGHT, top + 20, "tick", "end", f"{told}, tallest {count(max(bins))}"),
    ]
    for (low, high), n in zip(pairwise(EDGES.tolist()), bins, strict=True):
        left, tall = axis.at(low), round(HIGH * n / most, 1)
        parts.append(BOX.format(left, bottom - tall, round(axis.at(high) - left - 1, 1), tall, "box"))
    return [*parts, *along(axis, bottom)]
