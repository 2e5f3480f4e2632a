"""Read plain values from JSON or TOML as typed ones; errors name the field that does not fit.

Everything saved on disk is read back here. The reader knows `typing` and dataclasses only. A
dataclass needs exactly its own fields, and errors of its own checks get the name of the field. A
value that already has its type, such as an array, is kept.
"""

from __future__ import annotations

import json
import math
import sys
import textwrap
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import is_dataclass
from enum import StrEnum
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from sightline.core.error_excerpts import show
from sightline.core.errors import SightlineError, SpecError
from sightline.core.later_fields import later_fields


def parse_json(text: str, where: str) -> Any:
    """Read strict JSON: NaN, infinities and endless nesting are errors."""

    def refuse(constant: str) -> None:
        raise ValueError(f"{constant} is no JSON")

    try:
        return json.loads(text, parse_constant=refuse)
    except (ValueError, RecursionError) as error:
        raise _wrong(where, f"expected JSON, got something else: {error}") from None


def unrepeated(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make an object of its pairs, for `json.loads`; two values for one key are ambiguous and
    refused.
    """
    found = dict(pairs)
    if len(found) != len(pairs):
        twice = next(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
        raise ValueError(f"the key {show(twice)} is there twice; keep one")
    return found


def read_as(kind: Any, value: Any, where: str, *, nan: bool = False) -> Any:
    """Read a plain value as the type of a field; ``where`` names the field in errors.

    With ``nan``, null is read as NaN where a number is expected, the form that
    `sightline._io.atomic_write.plain` writes.
    """
    if type(value) is kind and kind in (
        str,
        int,
        bool,
    ):  # first, because most values are of these kinds
        return value
    among = _alternatives(kind)
    if value is None and NoneType in among:
        return None
    among = tuple(one for one in among if one is not NoneType)
    for one in among:
        if _is_room(one) and (len(among) == 1 or isinstance(value, dict | list | tuple)):
            return _read_room(one, value, where, nan)
    if nan and value is None and float in among:
        return math.nan
    fitting = next((one for one in among if _fits(one, value)), None)
    if fitting is None:
        raise _wrong(
            where, f"expected {' or '.join(map(type_in_words, among))}, got {_shown(value)}"
        )
    if fitting is float or _is_enum(fitting):
        return fitting(value)
    return value


def check_types(value: Any, prefix: str = "") -> None:
    """Refuse a field of a dataclass that has not its type, as reading it would."""
    kind: Any = type(value)
    for name, field in _hints(kind).items():
        read_as(field, getattr(value, name), f"{prefix}{name}")


def _alternatives(kind: Any) -> tuple[Any, ...]:
    return get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)


def _is_room(kind: Any) -> bool:
    """Tell whether values of a type contain other values."""
    return is_dataclass(kind) or get_origin(kind) in _READERS


def _read_room(kind: Any, value: Any, where: str, nan: bool) -> Any:
    read = _read_fields if is_dataclass(kind) else _READERS[get_origin(kind)]
    return read(kind, value, where, nan)


def _read_fields(kind: Any, value: Any, where: str, nan: bool) -> Any:
    if type(value) is kind:
        return value
    hints = _hints(kind)
    if not isinstance(value, dict):
        raise _wrong(where, f"expected the fields {', '.join(hints)}, got {_shown(value)}")
    unsaid = later_fields(kind) or {}
    if odd := sorted((set(value) ^ set(hints)) - (set(unsaid) - set(value))):
        message = "unknown" if odd[0] in value else "missing"
        raise _wrong(where, f"{message} field {odd[0]!r}; expected exactly {', '.join(hints)}")
    found = {
        name: read_as(hints[name], inside, _inside(where, name), nan=nan)
        for name, inside in value.items()
    }
    try:
        return kind(**found)
    except (SightlineError, ValueError) as error:  # raised by the dataclass's own checks
        raise _wrong(where, str(error)) from None


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)


def _read_mapping(kind: Any, value: Any, where: str, nan: bool) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _wrong(where, f"expected values by name, got {_shown(value)}")
    inside = get_args(kind)[1]
    return {
        name: read_as(inside, item, _inside(where, name), nan=nan) for name, item in value.items()
    }


def _read_tuple(kind: Any, value: Any, where: str, nan: bool) -> tuple[Any, ...]:
    if not isinstance(value, list | tuple):
        raise _wrong(where, f"expected a list, got {_shown(value)}")
    kinds = get_args(kind)
    each = kinds[:1] * len(value) if kinds[-1] is Ellipsis else kinds
    if len(each) != len(value):
        raise _wrong(where, f"expected {len(each)} values, got {len(value)}")
    both = enumerate(zip(each, value, strict=True))
    return tuple(read_as(one, item, f"{where}[{i}]", nan=nan) for i, (one, item) in both)


_READERS: Mapping[Any, Callable[[Any, Any, str, bool], Any]] = {
    tuple: _read_tuple,
    dict: _read_mapping,
    Mapping: _read_mapping,
}
"""How values that contain other values are read, by type."""


def _fits(kind: Any, value: Any) -> bool:
    """Tell whether a value has a simple type; true is not a number, and a whole number is a float
    too.
    """
    if kind is Any:
        return True
    if get_origin(kind) is Literal:
        return isinstance(value, str) and value in get_args(kind)
    if _is_enum(kind):
        return isinstance(value, str) and value in tuple(kind)
    if kind is float:
        return type(value) in (int, float) and abs(value) <= sys.float_info.max
    return type(value) is kind


def _is_enum(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, StrEnum)


def type_in_words(kind: Any) -> str:
    """Name the expected type in words."""
    words = {int: "a whole number", float: "a finite number", bool: "true or false", str: "a text"}
    if get_origin(kind) is Literal:
        return " or ".join(one or '""' for one in get_args(kind))
    if _is_enum(kind):
        return " or ".join(kind)
    return words.get(kind, "a list")


def _shown(value: Any) -> str:
    """Show an unexpected value, cut to one line."""
    return textwrap.shorten(repr(value)[:400], 120, placeholder=" …")


def _inside(where: str, name: str) -> str:
    return f"{where}.{name}" if where else name


def _wrong(where: str, message: str) -> SpecError:
    return SpecError(f"{where}: {message}" if where else message)
