"""Defaults and measure settings that the numbers of a run depend on but its spec leaves out.

``first_settings.json`` holds the values they had when the first keys were made. A setting that
still has its first value stays out of a key, so older runs keep their names. A setting that
differs, or is not in the file, enters the key. Values in the file never change. Add a new setting
to the file only if results stay the same.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from sightline.config.interval_settings import INTERVALS, NEAR_COPIES
from sightline.config.measure_registry import MEASURES, selected_measures
from sightline.config.part_syntax import Part, parse_part
from sightline.config.registry import SOURCES, names_of, row_of
from sightline.config.specs import GIVEN, OWN, DataSpec, RunSpec, plain_values
from sightline.config.user_tables import TABLES
from sightline.core.errors import SpecError
from sightline.core.later_fields import later_fields

Places = Mapping[str, Mapping[str, Any]]
"""Settings by the code that reads them, such as ``measure agreement`` or ``encoder bilstm``."""

FIRST: Places = json.loads(
    files("sightline.config").joinpath("first_settings.json").read_text(encoding="utf-8")
)
"""The settings as they were when keys were first made."""
OF_ARROW = ("parquet", "hf")
"""The tables whose class numbers may have names."""
LISTS: Mapping[str, Any] = {"class_names": True}
"""Lists of class numbers are read as names of classes; they were read as numbers."""


_OWN_TEXTS = (*OWN, GIVEN)
LATER_RULES: Mapping[str, tuple[Mapping[str, str], tuple[str, ...]]] = {
    "marks": ({"marks alone": "left out"}, _OWN_TEXTS),
    "own_word": ({"other texts": "of other clusters"}, (*_OWN_TEXTS, "adr", "mimic")),
    "information": (
        {"resampled, exchanged and held out": "by cluster"},
        (*_OWN_TEXTS, "adr", "mimic", "cnn"),
    ),
}
"""Rules of measures that came later and change numbers only on some kinds of data, which are named.
No test text of a published corpus has marks alone. Articles stand under several queries, whose
models have no token logits. So do stories of bAbI and premises of SNLI; their published numbers stay
to the bit, and their keys with them (decision 0141). In the corpora that are not named, fewer than
one test text in a hundred is a copy."""


def changed(places: Iterable[tuple[str, Mapping[str, Any]]]) -> dict[str, dict[str, Any]]:
    """Give the settings that differ from their first values, by place."""
    found = {}
    for place, now in places:
        first = FIRST.get(place)
        if first is None:
            found[place] = dict(now)
        elif differing := {
            name: value for name, value in now.items() if not _same(value, first, name)
        }:
            found[place] = differing
    return found


def of_training(spec: RunSpec) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Give the options and later fields that a training depends on and its spec leaves open."""
    for room, part in spec.model.parts.items():
        yield _left_open(room, part)
    if spec.data.kind != GIVEN:
        yield _left_open(*_source(spec.data))
    files = spec.data.files.tables.values() if spec.data.files else ()
    kinds = {spec.data.kind, *(table.kind for table in files)}
    if spec.data.labels_sep and not kinds.isdisjoint(OF_ARROW):
        yield "lists of labels", LISTS
    yield from (_omitted(name, getattr(spec, name)) for name in ("data", "model", "fit"))


def of_audit(spec: RunSpec) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Give the settings that an audit depends on in addition to those of its training."""
    taken = selected_measures(spec.measures)
    yield from ((f"measure {code}", MEASURES[code].settings) for code in taken)
    yield from (
        (f"measure {code}, later", rule)
        for code, (rule, kinds) in LATER_RULES.items()
        if code in taken and spec.data.kind in kinds
    )
    yield "intervals", INTERVALS
    if spec.data.kind in _OWN_TEXTS:  # other corpora are not searched for near copies
        yield "near copies", NEAR_COPIES
    yield _omitted("run", spec)
    for part in _readable("companion", spec.companions):
        yield _left_open("companion", part)
        if part.name in SOURCES:  # attention comes from this part
            yield _left_open("source", Part(part.name))
    yield from (_left_open("altered", part) for part in _readable("altered", [spec.altered]))


def _same(value: Any, first: Mapping[str, Any], name: str) -> bool:
    return name in first and type(value) is type(first[name]) and value == first[name]


def _left_open(room: str, part: Part) -> tuple[str, Mapping[str, Any]]:
    said = dict(part.options)
    options = row_of(room, part.name).defaults
    return f"{room} {part.name}", {
        name: value for name, value in options.items() if name not in said
    }


def _source(data: DataSpec) -> tuple[str, Part]:
    if data.kind == "planted":
        assert data.part is not None  # a planted spec without one cannot be made
        return "planted", data.part
    room = "table" if data.kind in TABLES else "gathered" if data.kind in OWN else "published"
    return room, Part(data.kind, data.part.options if data.part else ())


def _omitted(name: str, spec: Any) -> tuple[str, Mapping[str, Any]]:
    """Give the later fields, which are left out of JSON at their defaults."""
    kind: Any = type(spec)
    unsaid, plain = later_fields(kind) or {}, _plain(kind)
    return f"fields {name}", {
        field: plain[field] for field in plain if getattr(spec, field) == unsaid[field]
    }


@cache
def _plain(kind: Any) -> Mapping[str, Any]:
    """Give the defaults of the later fields as JSON values."""
    found: Mapping[str, Any] = json.loads(
        json.dumps({k: plain_values(v) for k, v in (later_fields(kind) or {}).items()})
    )
    return found


def _readable(kind: str, texts: Iterable[str]) -> Iterator[Part]:
    """Read the parts of a kind. Unreadable ones are skipped: building them raises the error."""
    for text in texts:
        try:
            part = parse_part(text)
        except SpecError:
            continue
        if part.name in names_of(kind):
            yield part
