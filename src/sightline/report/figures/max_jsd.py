"""How far attention could be from the model's own with the same output (Jain & Wallace 2019,
figures 7 and 8).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from jaxtyping import Float

from sightline.core.errors import DataError
from sightline.core.results import Measurement, Results
from sightline.report.figures.by_max_weight import DrawnQuantity, by_weight
from sightline.report.figures.histograms import MOST, Histogram, draw_histograms, height_of
from sightline.report.figures.plot import Plot, PlotRow, drawn_note, left_out_note, needed
from sightline.report.number_format import count
from sightline.stats.distribution_shapes import bin_counts

Numbers = Float[np.ndarray, " N"]
EDGES = np.arange(41) * 7 / 400
"""40 bins on [0, 0.7], as published."""
ROUNDING = 1e-9
"""Bounds that differ by less count as one number."""
EXACT, AT_LEAST, AT_MOST = "exact", "at least", "at most"
SEARCHES: Mapping[str, str] = {
    "published": "found by the published search",
    "ours": "found by our search",
}
"""The searches of the measure ``searched``; the last number of a text is the result of all starts
together."""
JSD = DrawnQuantity("jsd", "largest JSD with the same output (nats)", 0.7, "no such number")


@dataclass(frozen=True)
class DivergenceSides:
    """The largest divergence of each text, as far as known: the numbers that are drawn, what they
    are, and others.
    """

    drawn: Numbers
    what: str
    others: Mapping[str, Numbers]

    def note(self, answer: str) -> str:
        """Say what is drawn."""
        if self.what == EXACT:
            return f"Largest Jensen–Shannon divergence of any attention with {answer}, exact."
        if self.what == AT_LEAST:
            apart = count(int((self.others[AT_MOST] - self.drawn > ROUNDING).sum()))
            return (
                f"Largest Jensen–Shannon divergence of any attention with {answer}, from "
                f"below; for {apart} texts only two bounds are known."
            )
        return (
            "Largest Jensen–Shannon divergence found for the same output: there may be larger ones."
        )


def same_answer(audit: Results) -> str:
    """Say what counts as the same output."""
    measured = audit.measurements.get("counterfactual")
    settings = measured.settings if isinstance(measured, Measurement) else {}
    within = f" (total variation up to {settings['epsilon']:g})" if "epsilon" in settings else ""
    return f"the same output{within}"


def farthest_by_class(audit: Results) -> Plot:
    """Count the texts of each predicted class by the largest divergence, as shares of the class."""
    known = _known(audit)
    predicted = np.array([text.predicted for text in audit.texts])
    names = sorted(set(predicted.tolist()))
    series = {known.what: known.drawn, **known.others}
    rows = [
        row
        for name in names
        for what, all_ in series.items()
        for row in _rows(name, what, all_[predicted == name])
    ]
    groups = [_histogram(name, known, predicted == name) for name in names]
    shown = known.drawn[np.isin(predicted, names[:MOST])]
    drawn = drawn_note(int(np.isfinite(shown).sum()), len(shown), JSD.lacks)
    return Plot(
        "How far attention could be from the model’s own with the same output, by predicted class",
        (
            "After Jain & Wallace 2019, figure 7.",
            known.note(same_answer(audit)),
            f"{drawn}{left_out_note(len(names) - MOST, 'class')}",
        ),
        lambda figure: draw_histograms(
            figure, groups, EDGES, JSD.description, "share of the texts of the class"
        ),
        ("predicted", "what", "jsd_from", "jsd_to", "texts", "share"),
        rows,
        height_of(len(groups)),
    )


def farthest_by_weight(audit: Results) -> Plot:
    """Draw the largest divergence of each text over its largest weight."""
    known = _known(audit)
    title = (
        "How far attention could be from the model’s own with the same output, by largest weight"
    )
    columns = {f"jsd_{what.replace(' ', '_')}": all_ for what, all_ in known.others.items()}
    return by_weight(
        audit,
        known.drawn,
        JSD,
        title,
        ["After Jain & Wallace 2019, figure 8.", known.note(same_answer(audit))],
        columns,
    )


def _known(audit: Results) -> DivergenceSides:
    """Take the exact divergence or its two bounds; without either, the result of a search."""
    found = _searched(audit)
    if isinstance(audit.measurements.get("counterfactual"), Measurement) or not found:
        low, high = (
            np.asarray(needed(audit, f"counterfactual.jsd_{side}"), dtype=float)
            for side in ("low", "high")
        )
        apart = bool((high - low > ROUNDING).any())
        return DivergenceSides(
            low, AT_LEAST if apart else EXACT, ({AT_MOST: high} if apart else {}) | found
        )
    what = SEARCHES["ours"]
    if what not in found:
        raise DataError(
            "the figure needs counterfactual or searched.ours, which this audit does not have"
        )
    return DivergenceSides(found.pop(what), what, found)


def _searched(audit: Results) -> dict[str, Numbers]:
    """Give the result of each search that was run."""
    measured = audit.measurements.get("searched")
    values = measured.values if isinstance(measured, Measurement) else {}
    return {
        label: np.asarray(values[name], dtype=float)[:, -1]
        for name, label in SEARCHES.items()
        if name in values
    }


def _shares(values: Numbers) -> list[float]:
    """Give the share of the texts in each bin; rounding errors below 0 count as 0."""
    inside = bin_counts(np.maximum(values, 0.0), EDGES)
    return [n / max(int(inside.sum()), 1) for n in inside.tolist()]


def _histogram(name: str, known: DivergenceSides, chosen: np.ndarray) -> Histogram:
    here = known.drawn[chosen]
    unknown = int(np.isnan(here).sum())
    lines = {what: _shares(all_[chosen]) for what, all_ in known.others.items()}
    return Histogram(name, _shares(here), len(here) - unknown, unknown, lines)


def _rows(name: str, what: str, values: Numbers) -> Sequence[PlotRow]:
    inside, shares = bin_counts(np.maximum(values, 0.0), EDGES).tolist(), _shares(values)
    bins = zip(pairwise(EDGES.tolist()), inside, shares, strict=True)
    rows: list[PlotRow] = [(name, what, low, high, n, share) for (low, high), n, share in bins]
    return [*rows, (name, what, "undefined", "undefined", int(np.isnan(values).sum()), np.nan)]
