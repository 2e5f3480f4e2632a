"""Which class of the model each label of the data means, as the user writes it:
``pos=POSITIVE,neg=NEGATIVE``, or JSON.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from sightline.config.json_reader import unrepeated
from sightline.core.errors import SpecError

READ_AS = "in the data were read as"
"""Part of a note in the data card that says which class each label was read as."""
NO_TEXT_HAS = "no text has the label"
"""Part of a note in the data card that names the labels of the model without texts."""
EXAMPLE = "pos=POSITIVE,neg=NEGATIVE"
_FIELD = "label_map"


def read_label_map(text: str) -> dict[str, str]:
    """Read ``LABEL=CLASS,LABEL=CLASS``, or a JSON object where a name holds a comma or an equals
    sign.

    >>> read_label_map("pos=POSITIVE, neg=NEGATIVE")
    {'pos': 'POSITIVE', 'neg': 'NEGATIVE'}
    """
    return _from_json(text) if text.lstrip().startswith("{") else _from_pairs(text)


def written_label_map(pairs: Mapping[str, str]) -> str:
    """Write a map so that `read_label_map` reads it."""
    names = [*pairs, *pairs.values()]
    plain = all(name == name.strip() and name and not set(name) & set(',="\\{') for name in names)
    return (
        ",".join(map("=".join, pairs.items()))
        if plain
        else json.dumps(dict(pairs), ensure_ascii=False)
    )


def _from_pairs(text: str) -> dict[str, str]:
    found = list[tuple[str, str]]()
    for part in text.split(","):
        label, equals, name = (one.strip() for one in part.partition("="))
        if not (equals and label and name) or "=" in name:
            message = f'expected LABEL=CLASS pairs such as "{EXAMPLE}", got {part.strip()!r}'
            raise SpecError(
                f"{message}; names with a comma or an equals sign need JSON", field=_FIELD
            )
        found.append((label, name))
    return _unrepeated(found)


def _from_json(text: str) -> dict[str, str]:
    try:
        found = json.loads(text, object_pairs_hook=_unrepeated)
    except json.JSONDecodeError as error:
        raise SpecError(
            f"expected a JSON object of labels and classes: {error}", field=_FIELD
        ) from None
    if odd := [name for name in found.values() if not isinstance(name, str)]:
        raise SpecError(
            f"expected the name of a class for each label, got {odd[0]!r}", field=_FIELD
        )
    return dict(found)


def _unrepeated(pairs: list[tuple[str, str]]) -> dict[str, str]:
    try:
        return unrepeated(pairs)
    except ValueError as error:
        raise SpecError(str(error), field=_FIELD) from None
