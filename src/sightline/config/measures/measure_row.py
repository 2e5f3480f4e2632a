"""One row of `sightline.config.measure_registry`: a measure, described without importing torch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from sightline.config.measures.quantity import Quantity

Settings = Mapping[str, Any]
"""Values that the numbers of an audit depend on, as plain JSON."""
Taken = Literal["always", "by name", "where offered"]


@dataclass(frozen=True)
class MeasureRow:
    """A measure: its implementation (``module:Class``), its settings, and each number it gives.

    The settings are the fields of the measure and the constants that it or its callees read. They
    live here so that the key of a run can include them (`sightline.config.key_defaults`); the
    measure takes its defaults from here. Constants of an algorithm, such as its number of steps,
    stay where the algorithm is: ``tests/contract/constants.json`` pins them, and a change of one is
    a change of ``MEANING``.

    The name of a quantity may contain a placeholder: REF is a comparison attribution, MAP an
    attribution map or a baseline, OTHER a control model, and LAYER a layer number or ``all``. A
    per-word number named after a map is that map.

    ``taken`` is *by name* for a costly measure, which runs only on request. It is *where offered*
    for a measure that is left out silently if the model lacks what it needs.
    """

    made_by: str
    settings: Settings
    quantities: Mapping[str, Quantity]
    taken: Taken = "always"
