"""What a run is made of, as values: text ↔ value, canonical JSON, and the key that names the run.

A part of a spec is written ``name(key=value, …)``; a model is parts joined by ``+``::

    bilstm(layers=1)+additive+softmax          planted:needle(n=2000,length=30)          csv:reviews.csv
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, Literal

from sightline.errors import SpecError

MEANING = 1
"""Raised by hand when the same spec would give other numbers, so that old results are not mistaken for new."""

Value = int | float | bool | str
Table = Literal["csv", "tsv", "jsonl"]
_PART = re.compile(r"^(?P<name>[A-Za-z0-9_]+)(?:\((?P<options>[^()]*)\))?$")
ENCODERS = ("bilstm", "mlp")
SCORERS = ("additive",)
PROJECTIONS = ("softmax",)
SOURCES = ("learned", "uniform", "random")
TABLES: tuple[Table, ...] = ("csv", "tsv", "jsonl")


@dataclass(frozen=True)
class Part:
    """A named part with its options, such as ``bilstm(layers=2)``; options are kept sorted."""

    name: str
    options: tuple[tuple[str, Value], ...] = ()

    def __str__(self) -> str:
        """Write the part as its spec text."""
        inside = ",".join(f"{key}={_show(value)}" for key, value in self.options)
        return f"{self.name}({inside})" if inside else self.name

    def only(self, **allowed: Value) -> dict[str, Any]:
        """Give every allowed option, at its default where unset; an unknown or ill-typed one is an error."""
        given = dict(self.options)
        if unknown := sorted(set(given) - set(allowed)):
            names = ", ".join(sorted(allowed)) or "none"
            raise SpecError(f"{self}: unknown option {unknown[0]!r}; {self.name} has these options: {names}")
        return {key: self._typed(key, given.get(key, default), default) for key, default in allowed.items()}

    def sizes(self, **allowed: Value) -> dict[str, Any]:
        """Give every allowed option as `only` does; each is a size, so positive, or 0 where 0 is its default."""
        chosen = self.only(**allowed)
        for key, value in chosen.items():
            if not (math.isfinite(value) and value >= 0 and (value > 0 or allowed[key] == 0)):
                raise SpecError(f"{self}: expected a positive {key}, got {value}")
        return chosen

    def _typed(self, key: str, value: Value, default: Value) -> Value:
        if isinstance(default, float) and isinstance(value, int) and not isinstance(value, bool):
            return float(value)
        if type(value) is not type(default):
            raise SpecError(f"{self}: {key} should be of the kind of {default!r}, got {value!r}")
        return value


def parse_part(text: str) -> Part:
    """Read ``name`` or ``name(key=value,…)``; numbers and true/false are recognised, the rest is text.

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


@dataclass(frozen=True)
class DataSpec:
    """Where texts come from: a table (``csv``, ``tsv``, ``jsonl``) or a ``planted`` corpus."""

    kind: Table | Literal["planted"]
    path: str = ""
    part: Part | None = None
    text: str = "text"
    label: str = "label"
    split: str = "split"
    rationale: str = "rationale"
    max_tokens: int = 512
    min_count: int = 1
    recipe: Literal["clean", "paper"] = "clean"

    def __str__(self) -> str:
        """Write the source as its spec text."""
        return f"{self.kind}:{self.part or self.path}"


def parse_data(text: str, /, **settings: Any) -> DataSpec:
    """Read a data spec: ``planted:needle(n=2000)``, ``csv:FILE``, ``jsonl:FILE``, or a path by its ending."""
    kind, colon, rest = text.partition(":")
    if colon and kind == "planted":
        return DataSpec("planted", part=parse_part(rest), **settings)
    ending = Path(text.removesuffix(".gz")).suffix.lstrip(".").lower()
    for table in TABLES:
        if colon and kind == table:
            return DataSpec(table, path=rest, **settings)
        if ending == table:
            return DataSpec(table, path=text, **settings)
    raise SpecError(
        f"--data {text!r}: expected a .csv, .tsv or .jsonl file, csv:FILE, tsv:FILE, jsonl:FILE, or planted:NAME(…)"
    )


@dataclass(frozen=True)
class ModelSpec:
    """An encoder, a scorer and a projection; ``source`` says where attention comes from."""

    encoder: Part
    scorer: Part = Part("additive")
    projection: Part = Part("softmax")
    source: Part = Part("learned")
    embedding: int = 100
    embedding_std: float = 0.1
    boundaries: bool = False

    def __str__(self) -> str:
        """Write the model as its spec text."""
        parts = [self.encoder, self.scorer, self.projection]
        return "+".join(map(str, parts if self.source.name == "learned" else [*parts, self.source]))


def parse_model(text: str, /, **settings: Any) -> ModelSpec:
    """Read ``encoder[+scorer][+projection][+source]``, parts in any order after the encoder.

    >>> str(parse_model("mlp"))
    'mlp+additive+softmax'
    """
    rooms = {"encoder": ENCODERS, "scorer": SCORERS, "projection": PROJECTIONS, "source": SOURCES}
    chosen: dict[str, Any] = {}
    for part in map(parse_part, text.split("+")):
        room = next((room for room, names in rooms.items() if part.name in names), None)
        if room is None:
            known = "; ".join(f"{room}s: {', '.join(names)}" for room, names in rooms.items())
            raise SpecError(f"--model {text!r}: unknown part {part.name!r}. Known {known}")
        if room in chosen:
            raise SpecError(f"--model {text!r}: two {room}s, {chosen[room].name} and {part.name}; name one")
        chosen[room] = part
    if "encoder" not in chosen:
        raise SpecError(f"--model {text!r}: no encoder; start with one of {', '.join(ENCODERS)}")
    return ModelSpec(**chosen, **settings)


@dataclass(frozen=True)
class FitSpec:
    """How a model is trained; validation chooses the epoch that is kept."""

    epochs: int = 60
    patience: int = 5
    batch_size: int = 32
    learning_rate: float = 1e-3
    weight_decay: float = 1e-5
    attention_weight_decay: float = 0.0
    amsgrad: bool = False
    class_weights: bool = False
    reduction: Literal["mean", "sum"] = "mean"
    keep: Literal["loss", "auc", "accuracy"] = "loss"


@dataclass(frozen=True)
class RunSpec:
    """A whole run as a value; its key is its name."""

    data: DataSpec
    model: ModelSpec
    fit: FitSpec = field(default_factory=FitSpec)
    seed: int = 0
    limit: int | None = None
    companions: tuple[str, ...] = ("uniform",)

    def to_json(self) -> dict[str, Any]:
        """Give the run as plain JSON values, with the version of their meaning."""
        return {"meaning": MEANING} | asdict(self)


def run_key(spec: RunSpec) -> str:
    """Name a run by its content: equal specs have equal keys, whatever order their options came in."""
    canonical = json.dumps(spec.to_json(), sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(canonical.encode()).hexdigest()[:16]


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
