"""Estimates for each layer of attention: context, without a test."""

from __future__ import annotations

from collections.abc import Mapping

from sightline.core.results import Measurement, Outcome
from sightline.verdict.audit_test import ReportedQuantity

SHARES = ("uniform_changed", "constant_changed")
"""Shares of changed predictions; the changes of the output are means, as any quantity."""


def of_layers(outcomes: Mapping[str, Outcome]) -> tuple[str, ...]:
    """Name what was measured for each layer."""
    taken = outcomes.get("layers")
    return (
        tuple(f"layers.{name}" for name in taken.values) if isinstance(taken, Measurement) else ()
    )


def as_layer(name: str) -> ReportedQuantity | None:
    """Say how a share of a layer is estimated; None for other quantities.

    >>> as_layer("layers.uniform_changed.3").how, as_layer("need.moved")
    ('share', None)
    """
    measure, _, quantity = name.partition(".")
    kind = quantity.partition(".")[0]
    return ReportedQuantity(name, how="share") if measure == "layers" and kind in SHARES else None
