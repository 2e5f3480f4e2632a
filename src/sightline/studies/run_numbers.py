"""Read the numbers of one run: its estimates by name, and the values of a measure for each text."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
from jaxtyping import Bool, Float, Int

from sightline.audits.audit_result import Audit
from sightline.core.errors import DataError
from sightline.core.results import Bracket, Estimate, Failed, Measurement, NotRun, Ragged
from sightline.stats.bootstrap import mean, proportion
from sightline.stats.distribution_shapes import largest
from sightline.stats.intervals import Bounds, clip_interval
from sightline.studies.aggregate import Number
from sightline.verdict.audit_clusters import clusters_of
from sightline.verdict.number_bounds import ends_of

SHARE: Bounds = (0.0, 1.0)
TAU: Bounds = (-1.0, 1.0)
Names = Mapping[str, tuple[str, str]]
"""For each number, the names of its estimate and its chance level in an audit; an empty name means
no chance level."""
MOVED: Names = {
    "JSD of attention": ("beside.jsd.base", ""),
    "TVD of answers": ("beside.tvd.base", ""),
}
"""How far an adversary is from its base."""


def read_estimates(names: Names) -> Callable[[Audit], Mapping[str, Number]]:
    """Read estimates of an audit, each with its chance level; missing ones are left out."""

    def numbers(audit: Audit) -> Mapping[str, Number]:
        known = audit.estimates
        return {
            label: Number(_cut(known[name], ends_of(name)), known.get(baseline), ends_of(name))
            for label, (name, baseline) in names.items()
            if name in known
        }

    return numbers


def _cut(one: Estimate, bounds: Bounds) -> Estimate:
    """Cut an interval at the ends of its quantity, which its audit may not have known."""
    if math.isnan(one.low):
        return one
    low, high = clip_interval(one.value, one.low, one.high, bounds)
    return replace(one, low=low, high=high)


def numbers_of(audit: Audit, code: str) -> Mapping[str, Float[np.ndarray, "N ..."]]:
    """Return the values of a measure for each text, except those with a number per word, or two
    bounds.
    """
    measured = _measured(audit, code)
    plain = {
        name: one for name, one in measured.values.items() if not isinstance(one, Ragged | Bracket)
    }
    return {name: np.asarray(one, dtype=float) for name, one in plain.items()}


def mean_of(
    audit: Audit,
    values: Float[np.ndarray, " N"],
    bounds: Bounds,
    texts: Bool[np.ndarray, " N"] | None = None,
) -> Estimate:
    """Average a number over texts, all or some; those of one cluster count as one."""
    values, clusters = _of(audit, values, texts)
    return mean(values, int(audit.spec["seed"]), bounds, clusters)


def share_of(
    audit: Audit,
    hits: Float[np.ndarray, " N"],
    texts: Bool[np.ndarray, " N"] | None = None,
) -> Estimate:
    """Return the share of texts, of all or some, that have a property (1) and not (0)."""
    return proportion(*_of(audit, hits, texts))


def _of(
    audit: Audit, values: Float[np.ndarray, " N"], texts: Bool[np.ndarray, " N"] | None
) -> tuple[Float[np.ndarray, " n"], Int[np.ndarray, " n"] | None]:
    """Select some texts, and their clusters."""
    clusters = clusters_of(audit)
    if texts is None:
        return values, clusters
    return values[texts], None if clusters is None else clusters[texts]


def largest_of(audit: Audit) -> Float[np.ndarray, " N"]:
    """Return the largest weight of each text."""
    attention = _measured(audit, "outputs").values["attention"]
    assert isinstance(attention, Ragged)
    return largest(attention)


def _measured(audit: Audit, code: str) -> Measurement:
    """Return what a measure found; one that did not run is refused."""
    outcome = audit.measurements.get(code)
    if not isinstance(outcome, Measurement):
        raise DataError(f"no measure {code}: {why_not_measured(audit, code)}")
    return outcome


def why_not_measured(audit: Audit, code: str) -> str:
    """Say why an audit has nothing of a measure; empty if it has."""
    outcome = audit.measurements.get(code)
    if isinstance(outcome, Failed):
        return f"it failed: {outcome.error}"
    if isinstance(outcome, NotRun):
        return outcome.reason
    return "it was not taken" if outcome is None else ""
