"""A reading: which of a model's many weights are shown as *the* attention of a text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from sightline.errors import SpecError
from sightline.spec.parts import parse_part

Row = Literal["first", "last", "all"]
"""The row that the head of a classifier reads: of the first token, of the last that is no padding, or of all."""
MEAN = "mean"


@dataclass(frozen=True)
class Reading:
    """Weights of one layer in the row that the classifier reads: of one head, or the mean of all (None)."""

    layer: int
    head: int | None = None

    def __str__(self) -> str:
        """Write it as it is asked for."""
        return f"(layer={self.layer},head={MEAN if self.head is None else self.head})"

    @property
    def told(self) -> str:
        """Say what it is in words."""
        return f"layer {self.layer}, {'mean of all heads' if self.head is None else f'head {self.head}'}"


def parse_reading(options: str) -> dict[str, Any]:
    """Read ``(layer=N,head=M)``, or a part of it.

    >>> parse_reading("(layer=0,head=3)"), parse_reading("")
    ({'head': 3, 'layer': 0}, {})
    """
    asked = dict(parse_part(f"reading{options}").options)
    if odd := next((name for name in asked if name not in ("layer", "head")), ""):
        raise SpecError(f"{options}: expected layer and head, got {odd}", field="model")
    return asked


def choose_reading(layers: int, heads: int, *, layer: int | None = None, head: int | str = MEAN) -> Reading:
    """Choose among what there is, counted from 0: the last layer where none is named, the mean of its heads.

    >>> str(choose_reading(2, 4, head=3)), str(choose_reading(2, 4, layer=0))
    ('(layer=1,head=3)', '(layer=0,head=mean)')
    """
    found = layers - 1 if layer is None else _below(layer, layers, "layer")
    return Reading(found, None if head == MEAN else _below(head, heads, "head"))


def _below(asked: Any, there: int, name: str) -> int:
    if not isinstance(asked, int) or isinstance(asked, bool) or not 0 <= asked < there:
        known = f"0 to {there - 1}" + (f", or {MEAN}" if name == "head" else "")
        raise SpecError(f"{name}={asked}: expected {known}; they are counted from 0", field="model")
    return asked
