"""Kendall's τ-b of attention and gradient, a histogram for each predicted class (Jain & Wallace 2019, figure 2)."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from sightline.report.plots.histograms import Histogram, draw_histograms, height_of
from sightline.report.plots.plot import Plot, Row, drawn_of, needed
from sightline.results import Results
from sightline.statistics.shapes import counted

EDGES = np.arange(-10, 11) / 10  # the numbers nearest to tenths, which a sum of steps is not


def tau_by_class(audit: Results) -> Plot:
    """Count the texts of each predicted class by τ-b; those without one are counted beside them."""
    tau = np.asarray(needed(audit, "agreement.tau.gradient"), dtype=float)
    predicted = np.array([text.predicted for text in audit.texts])
    rows: list[Row] = []
    groups: list[Histogram] = []
    for name in sorted(set(predicted.tolist())):
        here = tau[predicted == name]
        bins, unknown = counted(here, EDGES).tolist(), int(np.isnan(here).sum())
        rows += [(name, low, high, n) for (low, high), n in zip(pairwise(EDGES.tolist()), bins, strict=True)]
        rows.append((name, "undefined", "undefined", unknown))
        groups.append(Histogram(name, bins, sum(bins), unknown))
    known = int(np.isfinite(tau).sum())
    return Plot(
        "Kendall’s τ-b of attention and gradient, by predicted class",
        ("After Jain & Wallace 2019, figure 2.", drawn_of(known, len(tau), "no τ-b")),
        lambda figure: draw_histograms(figure, groups, EDGES, "Kendall’s τ-b (−1 to 1)", "texts"),
        ("predicted", "tau_from", "tau_to", "texts"),
        rows,
        height_of(len(groups)),
    )
