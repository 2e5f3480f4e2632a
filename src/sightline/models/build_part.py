"""Build a part of a model from its registry row."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from sightline.config.part_syntax import Part
from sightline.config.registry import row_of


def build_part(room: str, part: Part, *around: Any) -> Any:
    """Build a part from its context in the model, which differs by kind, and its options."""
    row = row_of(room, part.name)
    module, _, name = row.built.partition(":")
    return getattr(import_module(module), name)(*around, **row.chosen(part))
