"""Estimates of the distance between a model and its control models: context, without a test."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from sightline.config.part_syntax import parse_part
from sightline.config.registry import resolve_options
from sightline.core.errors import SpecError
from sightline.core.results import Measurement, Outcome

KINDS = ("jsd", "tau", "tvd")
"""The distances: between the weights, the orders of the words by them, and the outputs."""


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


def is_distance(name: str) -> bool:
    """Check whether a number is the distance to a control model that there is.

    >>> is_distance("beside.jsd.seed(by=1)"), is_distance("beside.jsd.twin"), is_distance("need.moved")
    (True, False, False)
    """
    measure, _, quantity = name.partition(".")
    kind, _, companion = quantity.partition(".")
    if measure != "beside" or kind not in KINDS:
        return False
    try:
        resolve_options("companion", parse_part(companion))
    except SpecError:
        return False
    return True
