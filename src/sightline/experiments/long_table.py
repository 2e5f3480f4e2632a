"""Every number of a store as a row: the run, its place on the axes, the quantity, and the value.

Tables, exports, comparisons and figures read these rows; nothing else reads numbers out of a run.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from sightline.core.results import Bracket, Estimate, Measurement, Ragged, Results, Values
from sightline.experiments.store import Summary
from sightline.report.export.text_rows import GROUPS
from sightline.report.redact import number_groups

COMPARED = ("number", "baseline")
"""What the score of a test places, in rows named after its code."""
LEARNED = ("learned.guessing", "learned.above")
"""The accuracy of guessing, and how far the model exceeds it."""
MAP_SCORES = ("carried", "deleted", "replaced")
"""The scores of a map, in rows named after it."""


@dataclass(frozen=True)
class Number:
    """One number of a run. ``text`` is the id of a text for a number of one text; an estimate has
    an interval.

    The quantity of a test's score is its code, such as ``SL-101``; its parts are ``SL-101.number``
    and ``SL-101.baseline``. The quantity of a map is ``maps.MAP.carried``, ``.deleted`` or
    ``.replaced``, and the quantity of a text ``measure.quantity``, such as ``need.removed``.
    """

    run: str
    axes: Mapping[str, str]
    quantity: str
    value: float
    low: float | None = None
    high: float | None = None
    n: int | None = None
    method: str = ""
    text: str = ""

    def estimate(self) -> Estimate | None:
        """Return the number with its interval, if it has one."""
        if self.low is None or self.high is None or self.n is None:
            return None
        return Estimate(self.value, self.low, self.high, self.n, self.method)


def axes_of(run: Summary) -> dict[str, str]:
    """Describe a run if no study gives it labels of its own."""
    return {"data": run.data, "model": run.model, "seed": str(run.seed)}


def main_estimates(run: Summary) -> dict[str, Estimate]:
    """Return the metrics of a run and the scores of its tests, as its summary has them."""
    effects = ((code, answer.score) for code, answer in (run.findings or {}).items())
    return {**(run.metrics or {}), **{code: score for code, score in effects if score is not None}}


def main_numbers(run: Summary, axes: Mapping[str, str] | None = None) -> Iterator[Number]:
    """Return the main estimates as rows."""
    yield from _estimates(run.key, axes_of(run) if axes is None else axes, main_estimates(run))


def all_numbers(
    run: Summary, audit: Results, axes: Mapping[str, str] | None = None
) -> Iterator[Number]:
    """Return every number of a run over all its texts: the main numbers, what tests compare, and
    the estimates.
    """
    place = axes_of(run) if axes is None else axes
    yield from main_numbers(run, place)
    compared = {
        f"{finding.code}.{name}": getattr(finding, name)
        for finding in audit.findings
        for name in COMPARED
    }
    yield from _estimates(
        run.key, place, {**compared, **audit.estimates, **_learned(audit), **_maps(audit)}
    )


def text_numbers(
    run: Summary, audit: Results, axes: Mapping[str, str] | None = None
) -> Iterator[Number]:
    """Return the raw numbers of each text, one per quantity; quantities with several numbers per
    text are left out.
    """
    place = axes_of(run) if axes is None else axes
    for code, measured in audit.measurements.items():
        for name, values in measured.values.items() if isinstance(measured, Measurement) else ():
            hashed = (code, name) == ("outputs", GROUPS)
            found = _by_text(number_groups(np.asarray(values)) if hashed else values)
            if len(found) == len(
                audit.texts
            ):  # values of groups, or of all texts together, may have any length
                for text, (value, low, high) in zip(audit.texts, found, strict=True):
                    yield Number(run.key, place, f"{code}.{name}", value, low, high, text=text.id)


def _learned(audit: Results) -> dict[str, Estimate | None]:
    """Return the accuracy of guessing, and how far the model exceeds it; the accuracy itself is a
    metric.
    """
    if audit.learned is None:
        return {}
    return dict(zip(LEARNED, (audit.learned.guessing, audit.learned.above), strict=True))


def _maps(audit: Results) -> dict[str, Estimate | None]:
    """Return the scores of each map."""
    return {
        f"maps.{row.name}.{name}": getattr(row, name) for row in audit.maps for name in MAP_SCORES
    }


def _by_text(values: Values) -> list[tuple[float, float | None, float | None]]:
    """Return for each text its number, or the two bounds between which it lies; nothing for other
    shapes.
    """
    if isinstance(values, Bracket):
        sides = zip(values.low.tolist(), values.high.tolist(), strict=True)
        return [(low if low == high else math.nan, low, high) for low, high in sides]
    if isinstance(values, Ragged) or values.ndim != 1:
        return []
    return [(value, None, None) for value in np.asarray(values, dtype=float).tolist()]


def _estimates(
    run: str, axes: Mapping[str, str], found: Mapping[str, Estimate | None]
) -> Iterator[Number]:
    for name, one in found.items():
        if one is not None:
            yield Number(run, axes, name, one.value, one.low, one.high, one.n, one.method)
