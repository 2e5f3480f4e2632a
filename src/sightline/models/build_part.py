"""A part of a model, made as its row of the catalogue says."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from sightline.config.part_syntax import Part
from sightline.config.registry import row_of


def made(room: str, part: Part, *around: Any) -> Any:
    """Make a part from what is around it in a model, which differs by room, and from its
    options.
    """
    row = row_of(room, part.name)
    module, _, name = row.built.partition(":")
    return getattr(import_module(module), name)(*around, **row.chosen(part))
