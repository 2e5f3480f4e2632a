"""What is estimated of each layer of attention: context, and no claim."""

from __future__ import annotations

from collections.abc import Mapping

from sightline.core.results import Measurement, Outcome
from sightline.verdict.audit_test import How, ReportedQuantity

KINDS: Mapping[str, How] = {
    "uniform": "mean of shares",
    "uniform_changed": "share",
    "constant": "mean of shares",
    "constant_changed": "share",
}
"""How far the answer moves, and how often the decision is another; and how each is estimated."""


def of_layers(outcomes: Mapping[str, Outcome]) -> tuple[str, ...]:
    """Name what was measured of each layer."""
    taken = outcomes.get("layers")
    return (
        tuple(f"layers.{name}" for name in taken.values) if isinstance(taken, Measurement) else ()
    )


def as_layer(name: str) -> ReportedQuantity | None:
    """Say how such a number is estimated; nothing of others.

    >>> as_layer("layers.uniform_changed.3").how, as_layer("beside.jsd.base")
    ('share', None)
    """
    measure, _, quantity = name.partition(".")
    kind = quantity.partition(".")[0]
    return (
        ReportedQuantity(name, how=KINDS[kind]) if measure == "layers" and kind in KINDS else None
    )
