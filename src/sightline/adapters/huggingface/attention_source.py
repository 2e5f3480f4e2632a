"""An attention source: which of a model's many weights are shown as *the* attention of a text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from sightline.config.part_syntax import parse_part
from sightline.core.errors import SpecError

QueryRow = Literal["first", "last", "all"]
"""The row that a classifier's head reads: the first token, the last without padding, or all."""
Kind = Literal["weights", "values", "evidence", "rollout", "mixture"]
MEAN, ALL = "mean", "all"
DESCRIPTIONS: Mapping[Kind, str] = {
    "weights": "",
    "values": "weight × length of the value, ",
    "evidence": "weight × its slope, ",
    "rollout": "rollout through all layers",
    "mixture": "a learned mixture of heads",
}
"""The description of each kind, before its layer and head."""
OF_A_LAYER: tuple[Kind, ...] = ("weights", "values", "evidence")
"""The kinds that belong to one layer; the others belong to all layers."""
ASKED: tuple[Kind, ...] = tuple(kind for kind in get_args(Kind) if kind != "mixture")
"""The kinds that a user can name: a mixture is learned from texts instead."""


@dataclass(frozen=True)
class AttentionSource:
    """One way to get one number a word from the weights, of one head or of all heads (None).

    ``shares`` are the shares of a mixture, by layer and head.
    """

    layer: int | None = None
    head: int | None = None
    kind: Kind = "weights"
    shares: tuple[tuple[float, ...], ...] = ()

    def __str__(self) -> str:
        """Write it as a spec does."""
        mean = MEAN if self.kind == "weights" and self.layer is not None else None
        asked = {"reading": None if self.kind == "weights" else self.kind, "layer": self.layer}
        options: dict[str, object] = {**asked, "head": mean if self.head is None else self.head}
        return f"({','.join(f'{name}={value}' for name, value in options.items() if value is not None)})"

    @property
    def description(self) -> str:
        """Describe the source in words."""
        if self.kind not in OF_A_LAYER:
            return DESCRIPTIONS[self.kind]
        together = "mean of all heads" if self.kind == "weights" else "all heads"
        return (
            f"{DESCRIPTIONS[self.kind]}layer {self.layer}, "
            f"{together if self.head is None else f'head {self.head}'}"
        )

    def layers(self, count: int) -> tuple[int, ...]:
        """The layers whose weights it uses."""
        return tuple(range(count)) if self.layer is None else (self.layer,)


def parse_attention_source(options: str) -> dict[str, Any]:
    """Read ``(layer=N,head=M)``, ``(reading=rollout)``, or a part of it.

    >>> parse_attention_source("(layer=0,head=3)"), parse_attention_source("")
    ({'head': 3, 'layer': 0}, {})
    """
    asked = dict(parse_part(f"reading{options}").options)
    if odd := next((name for name in asked if name not in ("reading", "layer", "head")), ""):
        raise SpecError(f"{options}: expected reading, layer and head, got {odd}", field="model")
    return asked


def choose_attention_source(
    layers: int,
    heads: int,
    *,
    reading: str = "weights",
    layer: int | None = None,
    head: int | str = MEAN,
) -> AttentionSource:
    """Choose an attention source, counted from 0. The default is the last layer, and the mean of
    its heads.

    >>> str(choose_attention_source(2, 4, head=3)), str(choose_attention_source(2, 4, reading="rollout"))
    ('(layer=1,head=3)', '(reading=rollout)')
    """
    kind = next((known for known in ASKED if known == reading), None)
    if kind is None:
        raise SpecError(
            f"reading={reading}: expected one of {', '.join((*ASKED, ALL))}", field="model"
        )
    if kind not in OF_A_LAYER:
        if layer is not None or head != MEAN:
            raise SpecError(
                f"reading={reading}: it is of all layers and heads; name none of them",
                field="model",
            )
        return AttentionSource(kind=kind)
    found = layers - 1 if layer is None else _below(layer, layers, "layer")
    return AttentionSource(found, None if head == MEAN else _below(head, heads, "head"), kind)


def _below(asked: Any, there: int, name: str) -> int:
    if not isinstance(asked, int) or isinstance(asked, bool) or not 0 <= asked < there:
        known = f"0 to {there - 1}" + (f", or {MEAN}" if name == "head" else "")
        raise SpecError(f"{name}={asked}: expected {known}; they are counted from 0", field="model")
    return asked
