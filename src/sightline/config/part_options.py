"""The allowed values of an option of a part: its default, which fixes the type, and its bounds."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sightline.config.part_syntax import Value
from sightline.core.error_excerpts import shortened
from sightline.core.errors import SpecError


@dataclass(frozen=True)
class Option:
    """An option: ``above`` and ``below`` are exclusive bounds, ``least`` and ``most`` inclusive
    ones. Numbers must be finite.

    ``words`` describes a ``pattern`` in errors. ``read`` converts a value to the form that the part
    gets.
    """

    default: Value
    above: float = -math.inf
    least: float = -math.inf
    most: float = math.inf
    below: float = math.inf
    choices: tuple[Value, ...] = ()
    pattern: str = ""
    words: str = ""
    read: Callable[[Any], Any] = lambda value: value

    def take(self, key: str, value: Value) -> Any:
        """Convert a value to the form that the part gets; a value out of bounds is an error that
        names them.
        """
        value = self._typed(key, value)
        if not self._allows(value):
            raise SpecError(f"expected {self._wanted(key)}, got {shortened(str(value))}")
        return self.read(value)

    def _typed(self, key: str, value: Value) -> Value:
        if isinstance(self.default, float) and type(value) is int:
            return float(value) if abs(value) <= sys.float_info.max else math.inf
        if isinstance(self.default, str) and type(value) is int:
            return str(value)  # a text of digits, such as kernels=3
        if type(value) is not type(self.default):
            raise SpecError(f"{key} should be of the kind of {self.default!r}, got {value!r}")
        return value

    def _allows(self, value: Value) -> bool:
        if self.choices:
            return value in self.choices
        if isinstance(value, str):
            return re.fullmatch(self.pattern, value) is not None
        within = self.above < value < self.below and self.least <= value <= self.most
        return within and math.isfinite(
            value
        )  # in this order: a whole number may be too large for isfinite

    def _wanted(self, key: str) -> str:
        if self.choices:
            return " or ".join(f"{key}={choice}" for choice in self.choices)
        if self.pattern:
            return self.words
        alone = (self.above, self.most, self.below) == (0, math.inf, math.inf)
        wanted = f"a positive {key}" if alone else f"{key} {self._bounds()}"
        return f"{wanted} ({self.words})" if self.words else wanted

    def _bounds(self) -> str:
        if math.isfinite(self.least) and math.isfinite(self.most):
            return f"from {_shown(self.least)} to {_shown(self.most)}"
        bounds = {"above": self.above, "from": self.least, "up to": self.most, "below": self.below}
        said = [f"{word} {_shown(bound)}" for word, bound in bounds.items() if math.isfinite(bound)]
        return " and ".join(said) or "to be finite"


def _shown(bound: float) -> str:
    return f"{bound:,.0f}" if bound.is_integer() else f"{bound:g}"


def size(default: int, most: int) -> Option:
    """Give an option that is a count from 1 up to a bound."""
    return bounded_option(default, 1, most)


def positive(default: float) -> Option:
    """Give an option that is a number above 0."""
    return Option(default, above=0.0)


def bounded_option(default: Value, least: int, most: int) -> Option:
    """Give an option with two inclusive bounds."""
    return Option(default, least=float(least), most=float(most))


def chance(default: float) -> Option:
    """Give an option that is a probability from 0 to 1."""
    return bounded_option(default, 0, 1)


def choice_option(default: Value, *others: Value) -> Option:
    """Give an option with a few values to choose from."""
    return Option(default, choices=(default, *others))


def flag(default: bool) -> Option:
    """Give an option that is true or false."""
    return Option(default)
