"""Estimates of the distance between a model and its control models: context, without a test."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from sightline.config.part_syntax import parse_part
from sightline.config.registry import resolve_options
from sightline.core.errors import SpecError
from sightline.core.results import Measurement, Outcome
from sightline.verdict.audit_test import EstimateKind, ReportedQuantity

KINDS: Mapping[str, EstimateKind] = {
    "jsd": "mean of shares",
    "tau": "mean",
    "tvd": "mean of shares",
}
"""How each distance is estimated: between the weights, the orders of the words by them, and the
outputs."""


def distances(outcomes: Mapping[str, Outcome]) -> tuple[str, ...]:
    """Name what was measured for each control model, except rank correlations that are undefined,
    as under uniform weights.
    """
    taken = outcomes.get("beside")
    if not isinstance(taken, Measurement):
        return ()
    ordered = {
        name
        for name, of in taken.values.items()
        if not name.startswith("tau.") or np.isfinite(np.asarray(of)).any()
    }
    return tuple(f"beside.{name}" for name in taken.values if name in ordered)


def as_distance(name: str) -> ReportedQuantity | None:
    """Say how a distance is estimated; None for other quantities.

    >>> as_distance("beside.jsd.seed(by=1)").how, as_distance("beside.jsd.twin"), as_distance("need.moved")
    ('mean of shares', None, None)
    """
    measure, _, quantity = name.partition(".")
    kind, _, companion = quantity.partition(".")
    if measure != "beside" or kind not in KINDS:
        return None
    try:
        resolve_options("companion", parse_part(companion))
    except SpecError:
        return None
    return ReportedQuantity(name, how=KINDS[kind])
