"""What ``--data`` and the flags beside it say, as a spec."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from sightline.errors import SpecError
from sightline.spec.texts import parse_data
from sightline.spec.values import TABLES, DataSpec

COLUMNS = ("text", "label", "split", "rationale", "query")


def read_source(data: str, **settings: Any) -> DataSpec:
    """Read the texts a command is to work on; a flag that names a column is an error where there are no columns."""
    spec = parse_data(data, **settings)
    usual = {field.name: field.default for field in fields(DataSpec)}
    named = [name for name in COLUMNS if getattr(spec, name) != usual[name]]
    if named and spec.kind not in TABLES:
        one = named[0]
        raise SpecError(f"--{one} {getattr(spec, one)}: {spec.kind} has no columns to name; leave --{one} out")
    return spec
