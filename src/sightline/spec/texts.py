"""Specs as texts: where data come from, and a model as its parts joined by ``+``.

Such as::

    bilstm(layers=1)+additive+softmax          planted:needle(n=2000,length=30)          csv:reviews.csv

A published corpus is ``name:PATH(key=value, …)``, such as ``babi:DIR(task=2)``.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from sightline.errors import SpecError
from sightline.spec.catalogue import DECODERS, ENCODERS, PROJECTIONS, RETENTIONS, SCORERS, SOURCES
from sightline.spec.parts import parse_part
from sightline.spec.values import OFFICIAL, TABLES, DataSpec, ModelSpec, Official


def parse_data(text: str, /, **settings: Any) -> DataSpec:
    """Read a data spec: ``planted:needle(n=2000)``, ``sst:DIR``, ``csv:FILE``, or the path of a table by its ending."""
    kind, colon, rest = text.partition(":")
    for name in OFFICIAL:
        if colon and kind == name:
            return _official(name, rest, **settings)
    if colon and kind == "planted":
        return DataSpec("planted", part=parse_part(rest), **settings)
    ending = Path(text.removesuffix(".gz")).suffix.lstrip(".").lower()
    for table in TABLES:
        if colon and kind == table:
            return DataSpec(table, path=rest, **settings)
        if ending == table:
            return DataSpec(table, path=text, **settings)
    raise SpecError(
        f"{text!r}: expected a .csv, .tsv or .jsonl file, csv:FILE, tsv:FILE, jsonl:FILE, planted:NAME(…), "
        f"or a published corpus: {', '.join(f'{name}:PATH' for name in OFFICIAL)}",
        field="data",
    )


def _official(name: Official, text: str, /, **settings: Any) -> DataSpec:
    """Read ``PATH`` or ``PATH(key=value,…)``; a path that ends in brackets of its own takes ``()`` behind them."""
    match = re.fullmatch(r"(?P<path>.+?)(?P<options>\([^()]*\))?", text, re.DOTALL)
    if match is None:
        raise SpecError(f"{name}:{text}: expected the path of its files, as {name}:PATH", field="data")
    part = parse_part(name + (match["options"] or ""))
    return DataSpec(name, match["path"], part if part.options else None, **settings)


def parse_model(text: str, /, **settings: Any) -> ModelSpec:
    """Read ``encoder[+scorer][+projection][+source][+decoder][+retention]``, parts in any order.

    >>> str(parse_model("mlp"))
    'mlp+additive+softmax'
    """
    rooms = {
        "encoder": ENCODERS, "scorer": SCORERS, "projection": PROJECTIONS, "source": SOURCES,
        "decoder": DECODERS, "retention": RETENTIONS,
    }  # fmt: skip
    chosen: dict[str, Any] = {}
    for part in map(parse_part, text.split("+")):
        room = next((room for room, names in rooms.items() if part.name in names), None)
        if room is None:
            known = "; ".join(f"{room}s: {', '.join(names)}" for room, names in rooms.items())
            raise SpecError(f"{text!r}: unknown part {part.name!r}. Known {known}", field="model")
        if room in chosen:
            raise SpecError(f"{text!r}: two {room}s, {chosen[room].name} and {part.name}; name one", field="model")
        chosen[room] = part
    if "encoder" not in chosen:
        raise SpecError(f"{text!r}: no encoder; start with one of {', '.join(ENCODERS)}", field="model")
    return ModelSpec(**chosen, **settings)
