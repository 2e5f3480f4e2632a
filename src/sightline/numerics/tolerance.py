"""The tolerance within which two outputs count as the same: a size and its unit."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeVar, get_args

import numpy as np
import torch

from sightline.core.errors import SpecError

Unit = Literal["total variation", "L1", "last class"]
"""Half the summed change of all probabilities; that sum; or the change of the last class. With one
logit the first and the last are both ``|Δp|``; the second is always twice the first."""
_PARTS: Mapping[Unit, float] = {"total variation": 0.5, "L1": 1.0}
Numbers = TypeVar("Numbers", np.ndarray, torch.Tensor)


@dataclass(frozen=True)
class Tolerance:
    """Outputs at most ``epsilon`` apart, in a unit, count as the same."""

    epsilon: float = 0.01
    unit: Unit = "total variation"

    def __post_init__(self) -> None:
        """Refuse an invalid size or an unknown unit."""
        if not (math.isfinite(self.epsilon) and self.epsilon >= 0):
            raise SpecError(f"expected a number from 0, got {self.epsilon}", field="epsilon")
        if self.unit not in get_args(Unit):
            raise SpecError(
                f"expected one of {', '.join(get_args(Unit))}; got {self.unit!r}", field="unit"
            )

    def __str__(self) -> str:
        """Write it in the form of the settings."""
        return f"{self.epsilon:g} of {self.unit}"

    @property
    def of_one_class(self) -> float:
        """The largest change allowed in the probability of one class: the gain of one class is the
        loss of others.
        """
        return self.epsilon / 2 if self.unit == "L1" else self.epsilon

    def apart(self, answers: Numbers, own: Numbers) -> Numbers:
        """Give the distance of probabilities (``*B C``) from the model's, in the unit (``*B``)."""
        gap = abs(answers - own)
        found: Numbers = (
            gap[..., -1] if self.unit == "last class" else gap.sum(-1) * _PARTS[self.unit]
        )
        return found

    def holds(self, answers: Numbers, own: Numbers) -> Numbers:
        """Tell which outputs are within the tolerance."""
        kept: Numbers = self.apart(answers, own) <= self.epsilon
        return kept
