"""Read and write a named part with its options, such as ``bilstm(layers=2)``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from sightline.core.errors import SpecError

Value = int | float | bool | str
_KEY = re.compile(r"[0-9a-f]{16}")
"""The key of a run (`sightline.config.run_keys`)."""
_PART = re.compile(r"^(?P<name>[A-Za-z0-9_]+)(?:\((?P<options>[^()]*)\))?$")


@dataclass(frozen=True)
class Part:
    """A named part with its options, such as ``bilstm(layers=2)``; options are kept sorted."""

    name: str
    options: tuple[tuple[str, Value], ...] = ()

    def __str__(self) -> str:
        """The spec text that reads as this part."""
        inside = ",".join(f"{key}={_show(value)}" for key, value in self.options)
        return f"{self.name}({inside})" if inside else self.name


@cache
def parse_part(text: str) -> Part:
    """Read ``name`` or ``name(key=value,…)``; numbers and true/false are recognised, the rest is
    text.

    >>> str(parse_part("needle(length=30, n=2000)"))
    'needle(length=30,n=2000)'
    """
    match = _PART.match(text.strip())
    if match is None:
        raise SpecError(f"expected a part such as 'bilstm(layers=1)', got {text!r}")
    options: dict[str, Value] = {}
    for item in filter(None, (item.strip() for item in (match["options"] or "").split(","))):
        key, equals, value = (piece.strip() for piece in item.partition("="))
        if not equals or not key or not value:
            raise SpecError(f"{text!r}: expected key=value, got {item!r}")
        if key in options:
            raise SpecError(f"{text!r}: {key} is given twice")
        options[key] = _value(value)
    return Part(match["name"], tuple(sorted(options.items())))


def _value(text: str) -> Value:
    if _KEY.fullmatch(text):  # before it is taken for a number, which 12e4… could be
        return text
    if text in ("true", "false"):
        return text == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _show(value: Value) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
