"""The companions of a model: others trained beside it on the same texts, which its audit compares
it with.

Each is a run that follows from that of the model: its training is made once, and shared by all runs
that ask for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from importlib import import_module
from typing import Any

from sightline.config.base_runs import base_of, plain
from sightline.config.part_syntax import Part, parse_part
from sightline.config.registry import row_of
from sightline.config.run_keys import training_key
from sightline.config.specs import BUT_ATTENTION, RunSpec
from sightline.core.errors import SpecError

_BETWEEN = re.compile(r",(?![^()]*\))")
"""A comma between two companions, not one between the options of a companion."""


def uniform(spec: RunSpec) -> RunSpec:
    """Weigh every word alike: the companion that shows whether choosing pays."""
    return _with_source(spec, "uniform")


def frozen(spec: RunSpec) -> RunSpec:
    """Draw the weights by word type: what training makes of weights that nobody chose."""
    return _with_source(spec, "frozen")


def constant(spec: RunSpec) -> RunSpec:
    """Weigh by place alone, as the model does in the mean: what a map is worth that looks at no
    word.
    """
    return _with_source(spec, "constant")


def scorer(spec: RunSpec) -> RunSpec:
    """Leave the scorer as it was drawn: the states learn, and attention does not."""
    made = _with_source(spec, "learned")
    return replace(made, fit=replace(made.fit, fixed=("attention",)))


def untrained(spec: RunSpec) -> RunSpec:
    """Start as the model does, and train nothing."""
    return replace(spec, fit=replace(plain(spec.fit), epochs=0))


def seed(spec: RunSpec, by: int) -> RunSpec:
    """Train the same from another start and in another order, on the very same splits."""
    return replace(spec, fit=replace(spec.fit, draw=spec.fit.draw + by))


def adversary(spec: RunSpec, weight: float, divergence: Any, frozen: bool) -> RunSpec:
    """Train against the model; ``frozen`` keeps all of it but attention, which starts anew (Meister
    et al. 2021, C.1).

    Where attention is that of the base both terms of the loss are flat, so from there it would
    hardly move.
    """
    made = _with_source(spec, "learned")
    fit = replace(made.fit, adversary=divergence, adversary_weight=weight)
    if frozen:
        fit = replace(fit, from_base=BUT_ATTENTION, fixed=BUT_ATTENTION)
    return replace(made, fit=fit)


def base(spec: RunSpec) -> RunSpec:
    """Train what the run itself starts from, or is held against."""
    found = base_of(spec)
    if found is None:
        raise SpecError(
            "base: this run starts from none; it is for adversaries and ablations",
            field="companions",
        )
    return found


def _with_source(spec: RunSpec, source: str) -> RunSpec:
    """Describe the plain training of the same model with attention from elsewhere.

    Nothing of a companion's attention can be guided, so runs that differ in their guide alone share
    it.
    """
    return replace(spec, model=replace(spec.model, source=Part(source)), fit=plain(spec.fit))


def companions_of(spec: RunSpec) -> dict[str, RunSpec]:
    """Describe the training of each companion that a run asks for; one that would be the model
    itself is not made.
    """
    made = {name: _described(parse_part(name), spec) for name in known_companions(spec.companions)}
    return {
        name: other
        for name, other in made.items()
        if (other.model, other.fit) != (spec.model, spec.fit)
    }


def trainings_of(spec: RunSpec) -> tuple[RunSpec, ...]:
    """Describe every training that a run needs, each once: the model, its companions, and what they
    start from.
    """
    asked = [spec, *companions_of(spec).values()]
    bases = [one for one in map(base_of, asked) if one is not None]
    return tuple({training_key(one): one for one in (*asked, *bases)}.values())


def _described(part: Part, spec: RunSpec) -> RunSpec:
    row = row_of("companion", part.name)
    module, _, name = row.built.partition(":")
    found: RunSpec = getattr(import_module(module), name)(spec, **row.chosen(part))
    return found


def title_of(name: str) -> str:
    """Say what a companion is, as its training is called.

    >>> title_of("uniform"), title_of("seed(by=2)")
    ('companion (uniform attention)', 'companion (another start and order: by=2)')
    """
    part = parse_part(name)
    about = row_of("companion", part.name).about.partition(",")[0]
    options = str(part).removeprefix(part.name).strip("()")
    return f"companion ({about}{': ' if options else ''}{options})"


def known_companions(names: Iterable[str]) -> tuple[str, ...]:
    """Give the names of companions, written in their one way; one that nobody knows how to make is
    refused.
    """
    asked = tuple(names)
    parts = [_known(name) for name in asked]
    return tuple(dict.fromkeys(map(str, parts)))


def _known(name: str) -> Part:
    try:
        part = parse_part(name)
        row_of("companion", part.name).chosen(part)
    except SpecError as error:
        raise SpecError(error.message, field="companions") from None
    return part


def read_companions(text: str) -> tuple[str, ...]:
    """Read the names of companions, joined by commas, or ``none``.

    >>> read_companions("none"), read_companions("uniform,adversary(weight=0.01, divergence=jsd)")
    ((), ('uniform', 'adversary(divergence=jsd,weight=0.01)'))
    """
    return (
        ()
        if text.strip() == "none"
        else known_companions(name.strip() for name in _BETWEEN.split(text))
    )
