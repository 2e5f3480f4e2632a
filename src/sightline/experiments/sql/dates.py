"""Convert dates and times in an answer to text, with DuckDB: Python cannot hold all of them, such
as infinity.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

_DATED = ("date", "time", "interval")
"""How DuckDB's names of date and time types begin."""


def dates_as_text(found: Any) -> Any:
    """Cast dates and times in a relation to text, also within lists and mappings."""
    wanted = [_in_text(kind) for kind in found.types]
    if not any(wanted):
        return found
    columns = zip(found.columns, wanted, strict=True)
    return found.project(", ".join(_column(place, *one) for place, one in enumerate(columns, 1)))


def _column(place: int, name: str, kind: str | None) -> str:
    """Write a column of the projection, by its position: several may have one name."""
    return f"{f'#{place}' if kind is None else f'CAST(#{place} AS {kind})'} AS {_quoted(name)}"


def _in_text(kind: Any) -> str | None:
    """Name a type with text in place of each date; None if it has no date."""
    if kind.id.startswith(_DATED):
        return "VARCHAR"
    if kind.id not in _NESTED:
        return None
    inner = [(name, one) for name, one in kind.children if not isinstance(one, int)]
    wanted = [(name, _in_text(one)) for name, one in inner]
    if not any(text for _, text in wanted):
        return None
    sizes = [str(one) for _, one in kind.children if isinstance(one, int)]  # of an array
    parts = [(name, text or str(one)) for (name, text), (_, one) in zip(wanted, inner, strict=True)]
    return _NESTED[kind.id](parts, "".join(sizes))


def _listed(parts: Sequence[tuple[str, str]], size: str) -> str:
    return f"{parts[0][1]}[{size}]"


def _struct(parts: Sequence[tuple[str, str]], _: str) -> str:
    if not all(name for name, _ in parts):  # a row without names has no type that can be written
        return "VARCHAR"
    return f"STRUCT({', '.join(f'{_quoted(name)} {kind}' for name, kind in parts)})"


def _map(parts: Sequence[tuple[str, str]], _: str) -> str:
    return f"MAP({', '.join(kind for _, kind in parts)})"


def _whole(parts: Sequence[tuple[str, str]], _: str) -> str:
    return "VARCHAR"  # a value of a union names its own type; a tuple has no names


_NESTED = {
    "list": _listed,
    "array": _listed,
    "struct": _struct,
    "map": _map,
    "union": _whole,
    "tuple": _whole,
}


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
