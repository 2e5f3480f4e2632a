"""Look up every part that a spec can name, by kind and name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sightline.config.data_parts import GATHERED, PLANTED, PUBLISHED, TABLES
from sightline.config.model_parts import ALTERED, CONTROLS, MODELS
from sightline.config.part_syntax import Part
from sightline.config.registry_row import Row, field_of
from sightline.core.errors import SpecError

ROOMS = ("encoder", "scorer", "projection", "source", "decoder", "retention")
"""The kinds of parts; a model has one of each."""
_ROWS = (*MODELS, *ALTERED, *CONTROLS, *PLANTED, *PUBLISHED, *TABLES, *GATHERED)
_KINDS: Mapping[str, Mapping[str, Row]] = {
    kind: {row.name: row for row in _ROWS if row.kind == kind}
    for kind in (*ROOMS, "altered", "companion", "planted", "published", "table", "gathered")
}


def names_of(kind: str) -> tuple[str, ...]:
    """All names of a kind, in the order in which errors list them."""
    return tuple(_KINDS[kind])


COMPANIONS = names_of("companion")
"""The control models, by name."""
ENCODERS, SCORERS, PROJECTIONS, SOURCES, DECODERS, RETENTIONS = map(names_of, ROOMS)


def row_of(kind: str, name: str) -> Row:
    """Find a part by its kind and name; the error for an unknown name lists the known ones."""
    row = _KINDS[kind].get(name)
    if row is None:
        what = {
            "planted": "planted corpus",
            "altered": "alteration",
            "companion": "control model",
        }.get(kind, kind)
        known = ", ".join(_KINDS[kind])
        raise SpecError(f"unknown {what} {name!r}; expected one of {known}", field=field_of(kind))
    return row


def resolve_options(kind: str, part: Part) -> dict[str, Any]:
    """Give every option of a part, with defaults for unset ones; an invalid value is an error."""
    return row_of(kind, part.name).chosen(part)
