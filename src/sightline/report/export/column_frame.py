"""Tables for export: columns of equal length, each with a description."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from jaxtyping import Shaped

from sightline.config.measure_registry import quantity_of
from sightline.config.measures.quantity import Scale
from sightline.core.results import Measurement

NAME = Scale("text")
"""The scale of columns with words."""


@dataclass(frozen=True)
class FrameColumn:
    """One column: its values, what they are, and their measure; ``undefined`` counts missing values
    by reason.

    Values are text, integers, or floats with NaN where undefined; yes and no are 1 and 0.
    """

    name: str
    description: str
    scale: Scale
    values: list[str] | Shaped[np.ndarray, " N"]
    measure: str = ""
    undefined: Mapping[str, int] = field(default_factory=dict)

    def described(self) -> dict[str, Any]:
        """Describe the column, without its values."""
        low, high = (
            end if math.isfinite(end) else None for end in (self.scale.low, self.scale.high)
        )
        about = {
            "name": self.name,
            "what": self.description,
            "unit": self.scale.unit,
            "low": low,
            "high": high,
        }
        return about | {"measure": self.measure, "undefined": dict(self.undefined)}


@dataclass(frozen=True)
class ColumnFrame:
    """A table of columns, and the quantities without a column, with the reason."""

    columns: tuple[FrameColumn, ...]
    left_out: Mapping[str, str] = field(default_factory=dict)

    def __len__(self) -> int:
        """Count the rows."""
        return len(self.columns[0].values)

    def values(self) -> dict[str, list[str] | np.ndarray]:
        """Give the columns by name, as `pandas.DataFrame` and similar classes take them."""
        return {column.name: column.values for column in self.columns}

    def described(self) -> dict[str, Any]:
        """Describe the table, without its values."""
        about = {"rows": len(self), "columns": [column.described() for column in self.columns]}
        return about | {"left_out": dict(self.left_out)}


def column_of(
    measured: Measurement, quantity: str, values: np.ndarray, name: str = "", suffix: str = ""
) -> FrameColumn:
    """Make a column of a measure's numbers; ``suffix`` distinguishes several columns of one
    quantity.
    """
    known = quantity_of(measured.code, quantity)
    text = "" if known is None else known.description + suffix
    scale = Scale("") if known is None else known.scale
    plain = values.astype(np.int64) if values.dtype == bool else values
    return FrameColumn(
        name, text, scale, plain, measured.code, measured.undefined.get(quantity, {})
    )


def distinct(columns: Iterator[FrameColumn]) -> tuple[FrameColumn, ...]:
    """Keep the first column of each name, so that none is lost when columns become a mapping."""
    return tuple({column.name: column for column in reversed([*columns])}.values())[::-1]
