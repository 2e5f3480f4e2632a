"""Make the measures of an audit from the measure registry."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from importlib import import_module
from typing import Any

from sightline.config.measure_registry import MEASURES, selected_measures
from sightline.config.word_maps import Reduction
from sightline.core.protocols import Measure


def default_measures(
    tokens_at_once: int | None = None,
    chosen: tuple[str, ...] = (),
    gradient: Reduction = "input",
    focus_texts: int | None = None,
) -> tuple[Measure, ...]:
    """Make the measures of an audit in the order of the report, or the ``chosen`` ones with those
    that every audit needs.

    Some are made only where chosen (`BY_NAME`). Measures that delete words run ``tokens_at_once``
    tokens together, if given. Measures that take gradients reduce them by ``gradient``.
    ``focus_texts`` is the number of texts on which the focus of hidden states is measured.
    """
    said = {"gradient": gradient, "focus_texts": focus_texts} | (
        {} if tokens_at_once is None else {"tokens_at_once": tokens_at_once}
    )
    return tuple(_made(MEASURES[code].made_by, said) for code in selected_measures(chosen))


def _made(home: str, said: Mapping[str, Any]) -> Measure:
    """Make a measure with the settings that are among its fields."""
    module, name = home.split(":")
    kind = getattr(import_module(module), name)
    has = {one.name for one in fields(kind)}
    made: Measure = kind(**{setting: value for setting, value in said.items() if setting in has})
    return made
