"""How far an answer may move and still be called the same: one size, and the unit it is in."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeVar, get_args

import numpy as np
import torch

from sightline.core.errors import SpecError

Unit = Literal["total variation", "L1", "last class"]
"""Half the summed change of all probabilities; that sum; or the change of the last class alone.
With one logit the first and the last are one number, ``|Δp|``; the second is always twice the
first."""
_PARTS: Mapping[Unit, float] = {"total variation": 0.5, "L1": 1.0}
Numbers = TypeVar("Numbers", np.ndarray, torch.Tensor)


@dataclass(frozen=True)
class Tolerance:
    """Answers that are at most ``epsilon`` apart, in a unit, are the same answer."""

    epsilon: float = 0.01
    unit: Unit = "total variation"

    def __post_init__(self) -> None:
        """Refuse a size that is none, and an unknown unit."""
        if not (math.isfinite(self.epsilon) and self.epsilon >= 0):
            raise SpecError(f"expected a number from 0, got {self.epsilon}", field="epsilon")
        if self.unit not in get_args(Unit):
            raise SpecError(
                f"expected one of {', '.join(get_args(Unit))}; got {self.unit!r}", field="unit"
            )

    def __str__(self) -> str:
        """Say it as settings do."""
        return f"{self.epsilon:g} of {self.unit}"

    @property
    def of_one_class(self) -> float:
        """The most that the probability of one class may move: what one gains, others lose."""
        return self.epsilon / 2 if self.unit == "L1" else self.epsilon

    def apart(self, answers: Numbers, own: Numbers) -> Numbers:
        """Give how far probabilities (``*B C``) are from those of the model, in the unit
        (``*B``).
        """
        gap = abs(answers - own)
        found: Numbers = (
            gap[..., -1] if self.unit == "last class" else gap.sum(-1) * _PARTS[self.unit]
        )
        return found

    def holds(self, answers: Numbers, own: Numbers) -> Numbers:
        """Tell which answers are still the same."""
        kept: Numbers = self.apart(answers, own) <= self.epsilon
        return kept
