"""Every number of a store as long rows: a run, where it stands on the axes, what is counted, and
its value.

Tables, files for other tools, comparisons and figures read these, and nothing else reads numbers
out of a run.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from sightline.core.results import Bracket, Estimate, Measurement, Ragged, Results, Values
from sightline.experiments.store import Summary


@dataclass(frozen=True)
class Number:
    """One number of a run; ``text`` is the id of a text where it is of one alone, and an estimate
    has an interval.

    The quantity of a finding's effect is its code, such as ``SL-101``; beside it stand
    ``SL-101.number`` and ``SL-101.floor``. That of a map is ``maps.MAP.carried``, ``.deleted`` or
    ``.replaced``, and that of a text ``measure.quantity``, such as ``need.removed``.
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
        """Give the number with its interval, where it has one."""
        if self.low is None or self.high is None or self.n is None:
            return None
        return Estimate(self.value, self.low, self.high, self.n, self.method)


def axes_of(run: Summary) -> dict[str, str]:
    """Say what a run is, where no study gives it labels of its own."""
    return {"data": run.data, "model": run.model, "seed": str(run.seed)}


def main_estimates(run: Summary) -> dict[str, Estimate]:
    """Give the metrics of a run and the effects of its findings, as its summary has them."""
    effects = ((code, answer.score) for code, answer in (run.findings or {}).items())
    return {**(run.metrics or {}), **{code: score for code, score in effects if score is not None}}


def main_numbers(run: Summary, axes: Mapping[str, str] | None = None) -> Iterator[Number]:
    """Give the same as rows."""
    yield from _estimates(run.key, axes_of(run) if axes is None else axes, main_estimates(run))


def all_numbers(
    run: Summary, audit: Results, axes: Mapping[str, str] | None = None
) -> Iterator[Number]:
    """Give every number of a run that is of all its texts: its main ones, what findings compare,
    and its estimates.
    """
    place = axes_of(run) if axes is None else axes
    yield from main_numbers(run, place)
    compared = {
        f"{finding.code}.{name}": getattr(finding, name)
        for finding in audit.findings
        for name in ("number", "baseline")
    }
    yield from _estimates(
        run.key, place, {**compared, **audit.estimates, **_learned(audit), **_maps(audit)}
    )


def text_numbers(
    run: Summary, audit: Results, axes: Mapping[str, str] | None = None
) -> Iterator[Number]:
    """Give the raw numbers of each text, one a quantity; what has one for each draw, word or group
    is left out.
    """
    place = axes_of(run) if axes is None else axes
    for code, measured in audit.measurements.items():
        for name, values in measured.values.items() if isinstance(measured, Measurement) else ():
            found = _by_text(values)
            if len(found) == len(
                audit.texts
            ):  # what is of groups, or of all texts together, may have any length
                for text, (value, low, high) in zip(audit.texts, found, strict=True):
                    yield Number(run.key, place, f"{code}.{name}", value, low, high, text=text.id)


def _learned(audit: Results) -> dict[str, Estimate | None]:
    """Name what guessing reaches, and how far the model is above it; its accuracy is among the
    metrics.
    """
    if audit.learned is None:
        return {}
    return {"learned.guessing": audit.learned.guessing, "learned.above": audit.learned.above}


def _maps(audit: Results) -> dict[str, Estimate | None]:
    """Name what each map is worth."""
    done = ("carried", "deleted", "replaced")
    return {f"maps.{row.name}.{name}": getattr(row, name) for row in audit.maps for name in done}


def _by_text(values: Values) -> list[tuple[float, float | None, float | None]]:
    """Give each text its number, or the two sides between which it is known to lie; nothing of
    other shapes.
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
