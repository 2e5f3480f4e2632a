"""The axis of a figure: positions of numbers, and round numbers for its ticks."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

MOST_TICKS = 7


@dataclass(frozen=True)
class Axis:
    """A range of numbers mapped to a range of drawing units."""

    low: float
    high: float
    left: int
    right: int

    def at(self, value: float) -> float:
        """Place a number, to a tenth of a unit; a number beyond the axis is placed at its end."""
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return round(self.left + share * (self.right - self.left), 1)


def axis_over(values: Iterable[float], *, left: int, right: int) -> Axis:
    """Make an axis for all finite numbers, with a margin at both ends."""
    finite = [value for value in values if math.isfinite(value)] or [0.0]
    low, high = min(finite), max(finite)
    air = (high - low) * 0.06 or abs(high) * 0.5 or 1.0
    return Axis(low - air, high + air, left, right)


def ticks(axis: Axis) -> list[float]:
    """Choose at most `MOST_TICKS` round numbers (steps of 1, 2 or 5) on the axis."""
    width = axis.high - axis.low
    step = 10.0 ** math.floor(math.log10(width / MOST_TICKS))
    factors = (1, 2, 5, 10, 20)
    step *= next(factor for factor in factors if width / (step * factor) <= MOST_TICKS - 1)
    first, last = math.ceil(axis.low / step), math.floor(axis.high / step)
    places = max(0, -math.floor(math.log10(step)))
    return [round(index * step, places) for index in range(first, last + 1)]
