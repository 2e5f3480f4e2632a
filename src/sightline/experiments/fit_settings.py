"""Read training settings as typed, one per flag: ``--fit adversary=kl --fit
fixed=embedding,encoder``.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from typing import Any, get_origin

from sightline.core.errors import SpecError
from sightline.experiments.grid import FIELDS, value_of
from sightline.experiments.study_file import nearest

_FIT = "fit."


def read_settings(texts: Iterable[str]) -> dict[str, Any]:
    """Read settings by their names; a list is joined by commas.

    >>> read_settings(["adversary=jsd", "weight_decay=0", "fixed=encoder, embedding"])
    {'adversary': 'jsd', 'weight_decay': 0.0, 'fixed': ('embedding', 'encoder')}
    """
    found: dict[str, Any] = {}
    for text in texts:
        name, equals, typed = (piece.strip() for piece in text.partition("="))
        field = f"{_FIT}{name.removeprefix(_FIT).replace('-', '_')}"
        if not equals or not typed:
            raise SpecError(
                f"expected NAME=VALUE, such as gradient_clipping=5; got {text!r}", field="fit"
            )
        if field not in FIELDS:
            known = [one for one in FIELDS if one.startswith(_FIT)]
            message = (
                f"{nearest(name, known)}sightline list fields names all {len(known)} of a training"
            )
            raise SpecError(f"unknown {name!r}; {message}", field="fit")
        if (short := field.removeprefix(_FIT)) in found:
            raise SpecError(f"{short} is given twice; keep one", field="fit")
        found[short] = _read(field, typed)
    return found


def _read(field: str, typed: str) -> Any:
    try:
        return value_of(field, _plain(FIELDS[field], typed), field.removeprefix(_FIT))
    except SpecError as error:
        raise SpecError(str(error), field="fit") from None


def _plain(kind: Any, typed: str) -> Any:
    """Convert typed text to the value that a study file would have: a list, a number, true or
    false, or a text.
    """
    if get_origin(kind) is tuple:
        return [item for item in (item.strip() for item in typed.split(",")) if item]
    if kind in (int, float, bool):
        try:
            return tomllib.loads(f"value = {typed}")["value"]
        except tomllib.TOMLDecodeError:
            return typed
    return typed
