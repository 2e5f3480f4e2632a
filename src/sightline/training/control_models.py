"""Control models: models trained on the same texts, which an audit compares the audited model with.

Each is a run derived from the model's run. It is trained once and shared by all runs that need it.
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

_STORED = "companion ("
"""Saved records keep this word for a control model."""
_BETWEEN = re.compile(r",(?![^()]*\))")
"""A comma between two control models, as opposed to one between options."""


def uniform(spec: RunSpec) -> RunSpec:
    """Uniform attention: shows whether learned attention improves the model."""
    return _with_source(spec, "uniform")


def frozen(spec: RunSpec) -> RunSpec:
    """Frozen random weights by word type: shows how far training adapts to arbitrary attention."""
    return _with_source(spec, "frozen")


def constant(spec: RunSpec) -> RunSpec:
    """Mean weights by position: shows the value of attention that ignores the words."""
    return _with_source(spec, "constant")


def scorer(spec: RunSpec) -> RunSpec:
    """Freeze the scorer at initialisation: only the states are trained."""
    made = _with_source(spec, "learned")
    return replace(made, fit=replace(made.fit, fixed=("attention",)))


def untrained(spec: RunSpec) -> RunSpec:
    """The model at initialisation, untrained."""
    return replace(spec, fit=replace(plain(spec.fit), epochs=0))


def seed(spec: RunSpec, by: int) -> RunSpec:
    """Train the same model with another initialisation and order, on the same splits."""
    return replace(spec, fit=replace(spec.fit, draw=spec.fit.draw + by))


def adversary(spec: RunSpec, weight: float, divergence: Any, frozen: bool) -> RunSpec:
    """Train against the model; ``frozen`` keeps all of it except attention, which is initialised
    again (Meister et al. 2021, C.1).

    Starting from the base's attention would hardly move: both terms of the loss are flat there.
    """
    made = _with_source(spec, "learned")
    fit = replace(made.fit, adversary=divergence, adversary_weight=weight)
    if frozen:
        fit = replace(fit, from_base=BUT_ATTENTION, fixed=BUT_ATTENTION)
    return replace(made, fit=fit)


def base(spec: RunSpec) -> RunSpec:
    """The base that the run starts from or is compared with."""
    found = base_of(spec)
    if found is None:
        raise SpecError(
            "base: this run starts from none; it is for adversaries and ablations",
            field="companions",
        )
    return found


def _with_source(spec: RunSpec, source: str) -> RunSpec:
    """Describe the plain training of the same model with another attention source.

    Such attention cannot be guided, so runs that differ only in their guide share it.
    """
    return replace(spec, model=replace(spec.model, source=Part(source)), fit=plain(spec.fit))


def companions_of(spec: RunSpec) -> dict[str, RunSpec]:
    """Describe the training of each control model of a run; one identical to the model itself is
    skipped.
    """
    made = {name: _described(parse_part(name), spec) for name in known_companions(spec.companions)}
    return {
        name: other
        for name, other in made.items()
        if (other.model, other.fit) != (spec.model, spec.fit)
    }


def trainings_of(spec: RunSpec) -> tuple[RunSpec, ...]:
    """Describe every training that a run needs, each once: the model, its control models, and their
    bases.
    """
    asked = [spec, *companions_of(spec).values()]
    bases = [one for one in map(base_of, asked) if one is not None]
    return tuple({training_key(one): one for one in (*asked, *bases)}.values())


def _described(part: Part, spec: RunSpec) -> RunSpec:
    row = row_of("companion", part.name)
    module, _, name = row.built.partition(":")
    try:
        found: RunSpec = getattr(import_module(module), name)(spec, **row.chosen(part))
    except SpecError as error:  # the user named the control model, not the settings of its training
        message = error.message.removeprefix(f"{part}: ")
        raise SpecError(f"{part}: {message}", field="companions") from None
    return found


def record_name(name: str) -> str:
    """Name the training of a control model in saved records.

    >>> record_name("uniform"), record_name("seed(by=2)")
    ('companion (uniform attention)', 'companion (another start and order: by=2)')
    """
    part = parse_part(name)
    about = row_of("companion", part.name).about.partition(",")[0]
    options = str(part).removeprefix(part.name).strip("()")
    return f"{_STORED}{about}{': ' if options else ''}{options})"


def training_title(recorded: str) -> str:
    """Name a training of a record for people.

    >>> training_title("companion (uniform attention)"), training_title("model")
    ('control model (uniform attention)', 'model')
    """
    control = recorded.startswith(_STORED)
    return f"control model ({recorded.removeprefix(_STORED)}" if control else recorded


def known_companions(names: Iterable[str]) -> tuple[str, ...]:
    """Normalise the names of control models; an unknown one is refused."""
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
    """Read the names of control models, joined by commas, or ``none``.

    >>> read_companions("none"), read_companions("uniform,adversary(weight=0.01, divergence=jsd)")
    ((), ('uniform', 'adversary(divergence=jsd,weight=0.01)'))
    """
    return (
        ()
        if text.strip() == "none"
        else known_companions(name.strip() for name in _BETWEEN.split(text))
    )
