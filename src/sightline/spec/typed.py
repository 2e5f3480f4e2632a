"""Plain values, as JSON or TOML has them, read as typed ones: what does not fit is named by its field."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from sightline.errors import SpecError
from sightline.spec.parts import Part
from sightline.spec.values import MEANING, ModelSpec, RunSpec, later_fields


def run_from_json(item: dict[str, Any]) -> RunSpec:
    """Read back the JSON of a `RunSpec`, as `RunSpec.to_json` gives it; a field more or less is an error."""
    # Asked first: another version may have other fields, and its meaning is the better answer.
    if item.get("meaning", MEANING) != MEANING:
        raise SpecError(f"run spec: expected meaning {MEANING}, got {item['meaning']!r}; run it again in this version")
    if "meaning" not in item:
        raise SpecError("run spec: missing field 'meaning'; it is written by RunSpec.to_json")
    spec: RunSpec = read_as(RunSpec, {name: value for name, value in item.items() if name != "meaning"}, "run spec")
    return spec


def read_as(kind: Any, value: Any, where: str, *, nan: bool = False) -> Any:
    """Read a plain value, as JSON or TOML has it, as the type of a field; ``where`` names it if it cannot be.

    With ``nan``, null stands for NaN where a number is due, as `sightline.files.plain` writes it.
    """
    if type(value) is kind and kind in (str, int, bool):  # first, because most values are of these kinds
        return value
    if kind is float and type(value) is float and math.isfinite(value):
        return value
    if nan and kind is float and value is None:
        return math.nan
    if is_dataclass(kind):
        return _read_fields(kind, value, where, nan)
    if get_origin(kind) is not None and get_origin(kind) is Mapping and isinstance(value, dict):
        return {key: read_as(get_args(kind)[1], item, f"{where}.{key}", nan=nan) for key, item in value.items()}
    among = [kind]
    if get_origin(kind) in (Union, UnionType):
        if value is None and NoneType in get_args(kind):
            return None
        among = [one for one in get_args(kind) if one is not NoneType]
        if len(among) == 1:
            return read_as(among[0], value, where, nan=nan)
    if get_origin(kind) is tuple and isinstance(value, list | tuple):
        return _read_tuple(get_args(kind), value, where)
    if not any(_fits(one, value) for one in among):
        raise SpecError(f"{where}: expected {' or '.join(map(_wanted, among))}, got {value!r}")
    return float(value) if kind is float else value


def _read_fields(kind: Any, value: Any, where: str, nan: bool) -> Any:
    hints = _hints(kind)
    if not isinstance(value, dict):
        raise SpecError(f"{where}: expected the fields {', '.join(hints)}, got {value!r}")
    unsaid = later_fields(kind) or {}
    if odd := sorted((set(value) ^ set(hints)) - (set(unsaid) - set(value))):
        told = "unknown" if odd[0] in value else "missing"
        raise SpecError(f"{where}: {told} field {odd[0]!r}; expected exactly {', '.join(hints)}")
    return kind(**{name: read_as(hints[name], inside, f"{where}.{name}", nan=nan) for name, inside in value.items()})


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)


def _read_tuple(kinds: tuple[Any, ...], value: list[Any] | tuple[Any, ...], where: str) -> tuple[Any, ...]:
    each = kinds[:1] * len(value) if kinds[-1] is Ellipsis else kinds
    if len(each) != len(value):
        raise SpecError(f"{where}: expected {len(each)} values, got {len(value)}")
    return tuple(read_as(kind, item, f"{where}[{i}]") for i, (kind, item) in enumerate(zip(each, value, strict=True)))


def _fits(kind: Any, value: Any) -> bool:
    """Tell whether a value is of a simple type; true is no number, and a whole number is one too."""
    if get_origin(kind) is Literal:
        return isinstance(value, str) and value in get_args(kind)
    if kind is float:
        return type(value) is int or (type(value) is float and math.isfinite(value))
    return type(value) is kind


def _wanted(kind: Any) -> str:
    words = {int: "a whole number", float: "a finite number", bool: "true or false", str: "a text"}
    if get_origin(kind) is Literal:
        return " or ".join(get_args(kind))
    return "an object" if get_origin(kind) is Mapping else words.get(kind, "a list")


def model_from_json(item: dict[str, Any]) -> ModelSpec:
    """Read back the JSON of a `ModelSpec`."""
    known = {f.name for f in fields(ModelSpec)}
    if unknown := sorted(set(item) - known):
        raise SpecError(f"model spec: unknown field {unknown[0]!r}; known: {', '.join(sorted(known))}")
    values: dict[str, Any] = {
        key: _part_from_json(value) if isinstance(value, dict) else value for key, value in item.items()
    }
    return ModelSpec(**values)


def _part_from_json(item: dict[str, Any]) -> Part:
    return Part(item["name"], tuple((key, value) for key, value in item["options"]))
