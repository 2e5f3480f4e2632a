"""Estimates for each layer of attention: context, without a test."""

from __future__ import annotations

from collections.abc import Mapping

from sightline.core.results import Measurement, Outcome
from sightline.verdict.audit_test import EstimateKind, ReportedQuantity

KINDS: Mapping[str, EstimateKind] = {
    "uniform": "mean",
    "uniform_changed": "share",
    "constant": "mean",
    "constant_changed": "share",
}
"""How each is estimated: the change of the output, and the share of changed predictions."""


def of_layers(outcomes: Mapping[str, Outcome]) -> tuple[str, ...]:
    """Name what was measured for each layer."""
    taken = outcomes.get("layers")
    return (
        tuple(f"layers.{name}" for name in taken.values) if isinstance(taken, Measurement) else ()
    )


def as_layer(name: str) -> ReportedQuantity | None:
    """Say how a quantity of a layer is estimated; None for other quantities.

    >>> as_layer("layers.uniform_changed.3").how, as_layer("need.moved")
    ('share', None)
    """
    measure, _, quantity = name.partition(".")
    kind = quantity.partition(".")[0]
    return (
        ReportedQuantity(name, how=KINDS[kind]) if measure == "layers" and kind in KINDS else None
    )
