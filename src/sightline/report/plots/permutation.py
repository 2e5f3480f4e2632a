"""What permuted weights do to the output, by the largest weight of the text (Jain & Wallace 2019, figure 6)."""

from __future__ import annotations

import numpy as np
from markupsafe import Markup

from sightline.report.axes import Axis
from sightline.report.numerals import count
from sightline.report.plots.plot import DOT, TEXT, Plot, along, needed, svg, upright
from sightline.results import Ragged, Results
from sightline.statistics.shapes import largest

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 420, 340, 50, 408, 40, 290


def permutation_by_weight(audit: Results) -> Plot:
    """Draw a dot a text: how far the output moves under permuted weights, above the largest weight."""
    attention = needed(audit, "outputs.attention")
    assert isinstance(attention, Ragged)  # a number a word
    moved, weight = np.asarray(needed(audit, "permutation.median"), dtype=float), largest(attention)
    rows = [(t.id, t.predicted, *pair) for t, pair in zip(audit.texts, _pairs(weight, moved), strict=True)]
    across, up = Axis(0, 1, LEFT, RIGHT), Axis(0, 1, BOTTOM, TOP)
    known = np.isfinite(moved) & np.isfinite(weight)
    dots = [
        DOT.format(across.at(x), up.at(y), "dot")
        for x, y in zip(weight[known].tolist(), moved[known].tolist(), strict=True)
    ]
    title = "Change of the output under permuted weights"
    words: list[Markup] = [
        TEXT.format(LEFT, 20, "head", "start", title),
        TEXT.format(RIGHT, HEIGHT - 10, "tick", "end", f"largest weight of the text; n = {count(len(dots))}"),
        TEXT.format(LEFT + 4, TOP + 4, "tick", "start", "median total variation"),
    ]
    body = [*words, *along(across, BOTTOM), *upright(up, LEFT), *dots]
    desc = f"A dot for each of {len(dots)} texts; {int((~known).sum())} have no such number."
    columns = ("id", "predicted", "largest_weight", "median_change")
    return Plot(svg(WIDTH, HEIGHT, title, desc, body), columns, rows)


def _pairs(weight: np.ndarray, moved: np.ndarray) -> list[tuple[float, float]]:
    return list(zip(weight.tolist(), moved.tolist(), strict=True))
