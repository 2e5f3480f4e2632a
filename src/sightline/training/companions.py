"""The companions of a model: others trained beside it on the same texts, which its audit compares it with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from sightline.errors import SpecError
from sightline.spec.parts import Part
from sightline.spec.values import COMPANIONS, FitSpec, ModelSpec, RunSpec


@dataclass(frozen=True)
class Companion:
    """How a companion is made: what its training is called, and its model, from that of the model it accompanies."""

    title: str
    made_from: Callable[[ModelSpec], ModelSpec]


def with_uniform_attention(spec: ModelSpec) -> ModelSpec:
    """Describe the same model with every word weighted alike: the companion that shows whether choosing pays."""
    return replace(spec, source=Part("uniform"))


def with_frozen_attention(spec: ModelSpec) -> ModelSpec:
    """Describe the same model under weights drawn by word type: what training makes of weights that nobody chose."""
    return replace(spec, source=Part("frozen"))


HOW: Mapping[str, Companion] = {
    "uniform": Companion("companion (uniform attention)", with_uniform_attention),
    "frozen": Companion("companion (frozen attention)", with_frozen_attention),
}
"""How each companion is made, by the name under which a spec asks for it."""


def companions_of(spec: RunSpec) -> dict[str, RunSpec]:
    """Describe the training of each companion that a run asks for; one that would be the model itself is not made.

    Nothing of a companion's attention can be guided, so runs that differ in their guide alone share it.
    """
    made = {name: HOW[name].made_from(spec.model) for name in known_companions(spec.companions)}
    alone = replace(spec.fit, guide="", guide_weight=FitSpec.guide_weight)
    return {name: replace(spec, model=model, fit=alone) for name, model in made.items() if model != spec.model}


def known_companions(names: Iterable[str]) -> tuple[str, ...]:
    """Give the names of companions as they are, or refuse the first that nobody knows how to make."""
    asked = tuple(names)
    if unknown := sorted(set(asked) - set(COMPANIONS)):
        raise SpecError(f"unknown companion {unknown[0]!r}; known: {', '.join(COMPANIONS)}", field="companions")
    return asked


def read_companions(text: str) -> tuple[str, ...]:
    """Read the names of companions, joined by commas, or ``none``.

    >>> read_companions("none"), read_companions("uniform")
    ((), ('uniform',))
    """
    return () if text.strip() == "none" else known_companions(name.strip() for name in text.split(","))
