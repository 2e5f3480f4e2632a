"""Kendall's τ-b of attention and importance: histograms by predicted class (Jain & Wallace 2019,
figures 2 to 5).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
from jaxtyping import Float

from sightline.core.results import Results
from sightline.report.figures.histograms import MOST, Histogram, draw_histograms, height_of
from sightline.report.figures.plot import Plot, PlotRow, drawn_note, left_out_note, needed
from sightline.report.map_names import map_title
from sightline.stats.distribution_shapes import bin_counts

FIGURE = {"gradient": 2, "deletion": 3}
"""The figure of Jain & Wallace that shows τ with each importance."""
EDGES = np.arange(-10, 11) / 10  # exact tenths, which a sum of steps would miss


def tau_by_class(audit: Results, reference: str = "gradient") -> Plot:
    """Count the texts of each predicted class by τ-b; undefined ones are counted separately."""
    tau = _taus(audit, reference)
    predicted = np.array([text.predicted for text in audit.texts])
    names = sorted(set(predicted.tolist()))
    shown = tau[np.isin(predicted, names[:MOST])]
    drawn = f"{_drawn_of([shown], 'no τ-b')}{left_out_note(len(names) - MOST, 'class')}"
    return _counted(
        f"Kendall’s τ-b of attention and {map_title(reference)}, by predicted class",
        (f"After Jain & Wallace 2019, figure {FIGURE[reference]}.", drawn),
        {name: tau[predicted == name] for name in names},
        EDGES,
        "Kendall’s τ-b (−1 to 1)",
        ("predicted", "tau_from", "tau_to", "texts"),
    )


def tau_differences(audit: Results) -> Plot:
    """Count the texts by τ-b of gradient and leave-one-out minus τ-b of attention with each
    (figures 4 and 5 of Jain & Wallace).
    """
    both = _taus(audit, "references")
    groups = {
        f"minus τ(attention, {map_title(name)})": both - _taus(audit, name)
        for name in ("deletion", "gradient")
    }
    return _counted(
        "Kendall’s τ-b of gradient and leave-one-out, minus τ-b of attention with each",
        (
            "After Jain & Wallace 2019, figures 4 and 5.",
            _drawn_of([*groups.values()], "no such difference"),
        ),
        groups,
        2 * EDGES,
        "difference of τ-b (−2 to 2); above 0, gradient and leave-one-out agree more",
        ("less", "difference_from", "difference_to", "texts"),
    )


def _taus(audit: Results, name: str) -> Float[np.ndarray, " N"]:
    return np.asarray(needed(audit, f"agreement.tau.{name}"), dtype=float)


def _drawn_of(numbers: Sequence[Float[np.ndarray, " N"]], lacks: str) -> str:
    known = np.asarray(np.isfinite(numbers).all(axis=0))
    return drawn_note(int(known.sum()), len(known), lacks)


def _counted(
    title: str,
    notes: tuple[str, ...],
    groups: Mapping[str, Float[np.ndarray, " _"]],
    edges: Float[np.ndarray, " E"],
    across: str,
    columns: tuple[str, ...],
) -> Plot:
    """Count each group into bins; undefined values are counted separately."""
    rows: list[PlotRow] = []
    drawn: list[Histogram] = []
    for name, values in groups.items():
        bins, unknown = bin_counts(values, edges).tolist(), int(np.isnan(values).sum())
        rows += [
            (name, low, high, n)
            for (low, high), n in zip(pairwise(edges.tolist()), bins, strict=True)
        ]
        rows.append((name, "undefined", "undefined", unknown))
        drawn.append(Histogram(name, bins, sum(bins), unknown))
    return Plot(
        title,
        notes,
        lambda figure: draw_histograms(figure, drawn, edges, across, "texts"),
        columns,
        rows,
        height_of(len(drawn)),
    )
