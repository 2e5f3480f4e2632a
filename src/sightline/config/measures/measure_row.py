"""A measure before it is made: one row of `sightline.config.measure_registry`. Without torch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from sightline.config.measures.quantity import Quantity

Settings = Mapping[str, Any]
"""Values that the numbers of an audit depend on, as JSON has them."""
Taken = Literal["always", "by name", "where offered"]


@dataclass(frozen=True)
class MeasureRow:
    """Where a measure is made, as ``module:Class``, with its settings and each number that it gives.

    The settings are its fields, and the constants that it, or what it calls, reads beside them.
    They stand here so that the key of a run can hold them (`sightline.config.key_defaults`); a
    measure takes the defaults of its fields from here.

    A name of a quantity may hold a part that is filled in: REF is a reference of attention, MAP a
    map over the words or what stands beside the maps, OTHER a companion, and LAYER the number of a
    layer, or all. A number of a word that has the name of a map is that map.

    ``taken`` is *by name* for a costly one, which is taken only where it is asked for, and *where
    offered* for one that is left out without a word where a model does not offer what it needs.
    """

    made_by: str
    settings: Settings
    quantities: Mapping[str, Quantity]
    taken: Taken = "always"
