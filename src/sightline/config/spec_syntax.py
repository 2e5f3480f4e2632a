"""Read specs from text: the source of the data, and a model as its parts joined by ``+``.

Such as::

    bilstm(layers=1)+additive+softmax          planted:needle(n=2000,length=30)          csv:reviews.csv

A published corpus is ``name:PATH(key=value, …)``, such as ``babi:DIR(task=2)``; a table for each
split is ``files:train=FILE,validation=FILE,test=FILE``.
"""

from __future__ import annotations

import os
import re
from typing import Any

from sightline._io.home_folder import written_from_home
from sightline.config.part_syntax import Part, parse_part
from sightline.config.registry import ENCODERS, ROOMS, names_of
from sightline.config.specs import OFFICIAL, OWN, DataSpec, ModelSpec
from sightline.config.user_tables import TABLES, read_files, table_kind
from sightline.core.errors import SpecError

ELSEWHERE = PY, HF, HF_CAUSAL, ANSWERS = "py:", "hf:", "hf-causal:", "answers:"
"""What the name of a model begins with that was trained elsewhere."""
BY_CONFIG = (
    f"if each class of a {HF} model has a sigmoid of its own, write "
    '"problem_type": "multi_label_classification" into its config.json'
)
"""How a model of transformers becomes one with several labels."""


def parse_data(text: str, /, **settings: Any) -> DataSpec:
    """Read a data spec: ``planted:needle(n=2000)``, ``sst:DIR``, ``csv:FILE``, or the path of a
    table by its ending.
    """
    kind, colon, rest = text.partition(":")
    if colon and kind in OFFICIAL:
        return _official(kind, rest, **settings)
    if colon and kind == "planted":
        return DataSpec("planted", part=_part(rest, "data"), **settings)
    if colon and kind == "files":
        return DataSpec(kind, files=read_files(rest), **settings)
    if colon and kind in OWN:
        return DataSpec(kind, path=written_from_home(rest), **settings)
    if (ending := table_kind(text)) is not None:
        return DataSpec(ending, path=written_from_home(text), **settings)
    raise SpecError(
        f"{text!r}: expected a file that ends in {', '.join(f'.{name}' for name in TABLES)}, "
        f"one named as {', '.join(f'{name}:FILE' for name in TABLES)}, folder:DIR, hf:DIR, "
        "planted:NAME(…), or a published corpus: "
        f"{', '.join(f'{name}:PATH' for name in OFFICIAL)}",
        field="data",
    )


def _official(name: str, text: str, /, **settings: Any) -> DataSpec:
    """Read ``PATH`` or ``PATH(key=value,…)``."""
    path, options = place_and_options(text)
    if not path:
        raise SpecError(
            f"{name}:{text}: expected the path of its files, as {name}:PATH", field="data"
        )
    part = _part(name + options, "data")
    return DataSpec(name, written_from_home(path), part if part.options else None, **settings)


def place_and_options(text: str) -> tuple[str, str]:
    """Split a path from the options in brackets at its end. Brackets at the end of the name of an
    existing file or folder belong to its name; other such names need ``()`` after them.

    >>> place_and_options("models/bert(layer=1)")
    ('models/bert', '(layer=1)')
    """
    prefix = next((one for one in (HF, HF_CAUSAL) if text.startswith(one)), "")
    if os.path.exists(written_from_home(text.removeprefix(prefix))):  # noqa: PTH110  (no name is too long for it)
        return text, ""
    match = re.fullmatch(r"(?P<path>.+?)(?P<options>\([^()]*\))?", text, re.DOTALL)
    return ("", "") if match is None else (match["path"], match["options"] or "")


def parse_model(text: str, /, **settings: Any) -> ModelSpec:
    """Read ``encoder[+scorer][+projection][+source][+decoder][+retention]``, parts in any order.

    >>> str(parse_model("mlp"))
    'mlp+additive+softmax'
    """
    if text.startswith(ELSEWHERE):
        message = f"expected a model to train, such as bilstm+additive, got {text!r}"
        raise SpecError(
            f"{message}, which is trained already: `sightline audit --model` takes it",
            field="model",
        )
    parts: dict[str, Any] = {}
    for part in (_part(one, "model") for one in text.split("+")):
        room = next((room for room in ROOMS if part.name in names_of(room)), None)
        if room is None:
            known = "; ".join(f"{room}s: {', '.join(names_of(room))}" for room in ROOMS)
            folder = ", and no folder of that name" if text == part.name else ""
            message = f"{text!r}: unknown part {part.name!r}{folder}. Known {known}"
            raise SpecError(message, field="model")
        if room in parts:
            message = f"two {room}s, {parts[room].name} and {part.name}; name one"
            raise SpecError(f"{text!r}: {message}", field="model")
        parts[room] = part
    if "encoder" not in parts:
        raise SpecError(
            f"{text!r}: no encoder; start with one of {', '.join(ENCODERS)}", field="model"
        )
    return ModelSpec(**parts, **settings)


def _part(text: str, field: str) -> Part:
    try:
        return parse_part(text)
    except SpecError as error:
        raise SpecError(str(error), field=field) from None
