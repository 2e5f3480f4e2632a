"""What a run is made of, as values: text ↔ value, canonical JSON, and the key that names the run.

A part of a spec is written ``name(key=value, …)``; a model is parts joined by ``+``::

    bilstm(layers=1)+additive+softmax          planted:needle(n=2000,length=30)          csv:reviews.csv

A published corpus is ``name:PATH(key=value, …)``, such as ``babi:DIR(task=2)``.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import Field, dataclass, field, fields, is_dataclass
from functools import cache
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from sightline.errors import SpecError

MEANING = 1
"""Raised by hand when the same spec would give other numbers, so that old results are not mistaken for new."""

Value = int | float | bool | str
Table = Literal["csv", "tsv", "jsonl"]
Official = Literal["sst", "imdb", "agnews", "20news", "snli", "babi", "eraser"]
_PART = re.compile(r"^(?P<name>[A-Za-z0-9_]+)(?:\((?P<options>[^()]*)\))?$")
ENCODERS = ("bilstm", "cnn", "mlp", "transformer")
SCORERS = ("additive", "dot", "deep")
PROJECTIONS = ("softmax", "sparsemax", "sparsegen", "entmax", "gumbel")
SOURCES = ("learned", "uniform", "random")
DECODERS = ("linear", "query")
RETENTIONS = ("none", "concat", "residual", "tying", "mlm")
LATER = {"later": True}
"""Marks a field that came after runs had been named: at its default it is left out of JSON and of keys, which stay."""
COMPANIONS = ("uniform",)
"""Models that may be trained beside the one an audit judges."""
TABLES: tuple[Table, ...] = get_args(Table)
OFFICIAL: tuple[Official, ...] = get_args(Official)


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
        if isinstance(default, str) and type(value) is int:
            return str(value)  # a text of digits, such as kernels=3
        if type(value) is not type(default):
            raise SpecError(f"{self}: {key} should be of the kind of {default!r}, got {value!r}")
        return value


@cache
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
    """Where texts come from: a table (``csv``, ``tsv``, ``jsonl``), a published corpus, or a ``planted`` one.

    ``query`` is the column of a question or a hypothesis beside each text; a table has none where it is empty.
    ``digest`` is the SHA-256 of the files where the run is to be kept, so that an edited file is another run.
    """

    kind: Table | Official | Literal["planted"]
    path: str = ""
    part: Part | None = None
    text: str = "text"
    label: str = "label"
    split: str = "split"
    rationale: str = "rationale"
    max_tokens: int = 512
    min_count: int = 1
    recipe: Literal["clean", "paper"] = "clean"
    digest: str = ""
    query: str = field(default="", metadata=LATER)

    def __str__(self) -> str:
        """Write the source as its spec text."""
        if self.kind not in OFFICIAL:
            return f"{self.kind}:{self.part or self.path}"
        options = str(self.part or "").removeprefix(self.kind)
        # Without options, a path that ends in a bracket would be read as if it had some.
        return f"{self.kind}:{self.path}{options or ('()' if self.path.endswith(')') else '')}"


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
        f"--data {text!r}: expected a .csv, .tsv or .jsonl file, csv:FILE, tsv:FILE, jsonl:FILE, planted:NAME(…), "
        f"or a published corpus: {', '.join(f'{name}:PATH' for name in OFFICIAL)}"
    )


def _official(name: Official, text: str, /, **settings: Any) -> DataSpec:
    """Read ``PATH`` or ``PATH(key=value,…)``; a path that ends in brackets of its own takes ``()`` behind them."""
    match = re.fullmatch(r"(?P<path>.+?)(?P<options>\([^()]*\))?", text, re.DOTALL)
    if match is None:
        raise SpecError(f"--data {name}:{text}: expected the path of its files, as {name}:PATH")
    part = parse_part(name + (match["options"] or ""))
    return DataSpec(name, match["path"], part if part.options else None, **settings)


@dataclass(frozen=True)
class ModelSpec:
    """The parts of a model: ``source`` says where attention comes from, ``retention`` what keeps input in its states.

    A model with decoder ``query`` reads a question or a hypothesis beside each text. ``vectors`` is a file of word
    vectors that embeddings start from, ``vectors_digest`` the SHA-256 of its bytes.
    """

    encoder: Part
    scorer: Part = Part("additive")
    projection: Part = Part("softmax")
    source: Part = Part("learned")
    embedding: int = 100
    embedding_std: float = 0.1
    boundaries: bool = False
    decoder: Part = field(default=Part("linear"), metadata=LATER)
    retention: Part = field(default=Part("none"), metadata=LATER)
    vectors: str = field(default="", metadata=LATER)
    vectors_digest: str = field(default="", metadata=LATER)

    def __str__(self) -> str:
        """Write the model as its spec text: from the source on, only what is not usual."""
        usual = {"learned", "linear", "none"}
        rest = [part for part in (self.source, self.decoder, self.retention) if str(part) not in usual]
        return "+".join(map(str, [self.encoder, self.scorer, self.projection, *rest]))


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
            raise SpecError(f"--model {text!r}: unknown part {part.name!r}. Known {known}")
        if room in chosen:
            raise SpecError(f"--model {text!r}: two {room}s, {chosen[room].name} and {part.name}; name one")
        chosen[room] = part
    if "encoder" not in chosen:
        raise SpecError(f"--model {text!r}: no encoder; start with one of {', '.join(ENCODERS)}")
    return ModelSpec(**chosen, **settings)


FROM_ZERO = ("patience", "weight_decay", "attention_weight_decay", "gradient_clipping")
"""Numbers of a training that may be 0; the others are above it."""


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
    gradient_clipping: float = field(default=0.0, metadata=LATER)
    """The norm above which all gradients are scaled down together; 0 is never."""
    attention_rate_factor: float = field(default=1.0, metadata=LATER)
    """How many times the learning rate the parameters of attention get."""

    def __post_init__(self) -> None:
        """Refuse what no training could mean."""
        for name, value in vars(self).items():
            zero = name in FROM_ZERO
            if type(value) in (int, float) and not (math.isfinite(value) and (value > 0 or (zero and value == 0))):
                raise SpecError(f"fit.{name}: expected a number {'from' if zero else 'above'} 0, got {value}")


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
        return {"meaning": MEANING, **_fields_of(self, _plain)}


def _plain(value: Any) -> Any:
    """Give a spec as `dataclasses.asdict` does, without its deep copies: a study names its cells by the thousand."""
    kind: Any = type(value)
    if kind is tuple:
        return tuple(map(_plain, value))
    return value if _later(kind) is None else _fields_of(value, _plain)


def _fields_of(spec: Any, write: Callable[[Any], Any]) -> dict[str, Any]:
    kind: Any = type(spec)
    unsaid = _later(kind) or {}
    return {name: write(inside) for name, inside in vars(spec).items() if name not in unsaid or inside != unsaid[name]}


@cache
def _later(kind: Any) -> dict[str, Any] | None:
    """Give the fields that runs named before did not have, and the value that says nothing new; None of no spec."""
    if not is_dataclass(kind):
        return None
    found: tuple[Field[Any], ...] = fields(kind)
    return {one.name: one.default for one in found if one.metadata.get("later")}


def run_key(spec: RunSpec) -> str:
    """Name a run by its content: equal specs have equal keys, whatever order their options came in."""
    return _name(spec.to_json())


def run_keys(specs: Sequence[RunSpec]) -> tuple[str, ...]:
    """Name each run as `run_key` does, in less time: the data, model and training that runs share are written once."""
    written: dict[int, Any] = {}  # by identity: parts that are equal, such as 1 and 1.0, may be written otherwise

    def write(part: Any) -> Any:
        if id(part) not in written:
            written[id(part)] = _plain(part)
        return written[id(part)]

    return tuple(_name({"meaning": MEANING, **_fields_of(spec, write)}) for spec in specs)


def training_key(spec: RunSpec) -> str:
    """Name the training of a run alone: what only its audit reads, the limit and the companions, is left out."""
    return _name({name: value for name, value in spec.to_json().items() if name not in ("limit", "companions")})


def _name(item: dict[str, Any]) -> str:
    if item["data"]["digest"]:  # the bytes name the table: the same study from another folder is the same run
        item = item | {"data": item["data"] | {"path": Path(item["data"]["path"]).name}}
    if item["model"].get("vectors_digest"):  # likewise
        item = item | {"model": item["model"] | {"vectors": Path(item["model"].get("vectors", "")).name}}
    try:
        canonical = json.dumps(item, sort_keys=True, separators=(",", ":"), allow_nan=False)
    except ValueError:
        raise SpecError(f"run spec: expected finite numbers, got {item}") from None
    return hashlib.sha256(canonical.encode()).hexdigest()[:16]


def run_from_json(item: dict[str, Any]) -> RunSpec:
    """Read back the JSON of a `RunSpec`, as `RunSpec.to_json` gives it; a field more or less is an error."""
    # Asked first: another version may have other fields, and its meaning is the better answer.
    if item.get("meaning", MEANING) != MEANING:
        raise SpecError(f"run spec: expected meaning {MEANING}, got {item['meaning']!r}; run it again in this version")
    if "meaning" not in item:
        raise SpecError("run spec: missing field 'meaning'; it is written by RunSpec.to_json")
    spec: RunSpec = read_as(RunSpec, {name: value for name, value in item.items() if name != "meaning"}, "run spec")
    return spec


def read_as(kind: Any, value: Any, where: str) -> Any:
    """Read a plain value, as JSON or TOML has it, as the type of a field; ``where`` names it if it cannot be."""
    if is_dataclass(kind):
        return _read_fields(kind, value, where)
    among = [kind]
    if get_origin(kind) in (Union, UnionType):
        if value is None and NoneType in get_args(kind):
            return None
        among = [one for one in get_args(kind) if one is not NoneType]
        if len(among) == 1:
            return read_as(among[0], value, where)
    if get_origin(kind) is tuple and isinstance(value, list | tuple):
        return _read_tuple(get_args(kind), value, where)
    if not any(_fits(one, value) for one in among):
        raise SpecError(f"{where}: expected {' or '.join(map(_wanted, among))}, got {value!r}")
    return float(value) if kind is float else value


def _read_fields(kind: Any, value: Any, where: str) -> Any:
    hints = _hints(kind)
    if not isinstance(value, dict):
        raise SpecError(f"{where}: expected the fields {', '.join(hints)}, got {value!r}")
    unsaid = _later(kind) or {}
    if odd := sorted((set(value) ^ set(hints)) - (set(unsaid) - set(value))):
        told = "unknown" if odd[0] in value else "missing"
        raise SpecError(f"{where}: {told} field {odd[0]!r}; expected exactly {', '.join(hints)}")
    return kind(**{name: read_as(hints[name], inside, f"{where}.{name}") for name, inside in value.items()})


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
    return words.get(kind, "a list")


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
