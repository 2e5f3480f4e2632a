"""A study as a file: a base, and axes that vary it. Every combination of axis values is one run.

A file may say::

    name = "who-needs-attention"
    [base]                              # what all runs share; texts as on the command line
    data = "csv:reviews.csv"            # seen from the folder of this file
    model = "mlp(hidden=16)+additive"
    "data.text" = "body"                # a field inside the data, the model or the training: quoted
    [base.fit]                          # the same for the training, as a table
    epochs = 3
    [axes]                              # the last one written varies fastest
    model = ["mlp(hidden=16)+additive", "bilstm(hidden=8)+additive"]
    "fit.learning_rate" = [0.001, 0.003]
    seed = [0, 1]
    [show]                              # may be left out (`sightline.experiments.study_outputs`)

`FIELDS` lists what may be set or varied; the name of a flag, such as ``max-tokens``, also names its
field.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from itertools import product
from pathlib import Path
from typing import Any, get_type_hints

from sightline._io.home_folder import from_home
from sightline._io.limits import RUNS
from sightline.config.json_reader import read_as
from sightline.config.presets import build_specs
from sightline.config.run_keys import run_key
from sightline.config.spec_syntax import parse_data
from sightline.config.specs import (
    FROM_ZERO,
    MODEL_PARTS,
    DataSpec,
    FitSpec,
    ModelSpec,
    RunSpec,
    in_order,
)
from sightline.config.word_maps import Reduction
from sightline.core.errors import SpecError
from sightline.data.corpus_cache import content_digest
from sightline.data.word_vectors import with_vectors
from sightline.experiments.study_file import field_called, nearest, read_toml
from sightline.training.control_models import known_companions, read_companions

_DATA = (
    "text",
    "label",
    "split",
    "rationale",
    "query",
    "id",
    "group",
    "on_copies",
    "max_tokens",
    "min_count",
    "recipe",
)
_MODEL = (
    "embedding",
    "embedding_std",
    "boundaries",
    "vectors",
    "without_vector",
    "vectors_scale",
)
FIELDS: Mapping[str, Any] = {
    "data": str,
    "model": str,
    "preset": str,
    "seed": int,
    "limit": int,
    "companions": tuple[str, ...],
    "measures": tuple[str, ...],
    "altered": str,
    "gradient": Reduction,
    **{f"fit.{name}": kind for name, kind in get_type_hints(FitSpec).items()},
    **{f"data.{name}": get_type_hints(DataSpec)[name] for name in _DATA},
    **{f"model.{name}": get_type_hints(ModelSpec)[name] for name in _MODEL},
}
"""What a study may set or vary, and the type of each."""
_ROOMS = ("fit", "data", "model")
_RUN = ("seed", "limit", "companions", "measures", "altered", "gradient")
Settings = tuple[tuple[str, Any], ...]
Trained = tuple[ModelSpec, FitSpec]
_MAY_BE_ZERO = ("model.embedding_std", *(f"fit.{name}" for name in FROM_ZERO))


@dataclass(frozen=True)
class Grid:
    """The runs of a study; ``labels[i]`` says which value of each axis ``specs[i]`` has."""

    name: str
    specs: tuple[RunSpec, ...]
    axes: tuple[str, ...]
    labels: tuple[tuple[str, ...], ...]

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """The keys of the runs, in their order."""
        return tuple(map(run_key, self.specs))


def read_grid(path: str | Path) -> Grid:
    """Read a study from a TOML file, written as at the top of this module.

    All runs differ, in the order of the product of the axes, and tables are pinned (`pin`). A
    preset comes first; settings of the study override it. Paths of tables are relative to the
    folder of the file. Whatever cannot be read is a `SpecError` that names the file.
    """
    file = Path(path)
    return grid_from(read_toml(file), file.parent, str(file))


def grid_from(tree: Mapping[str, Any], folder: Path, where: str = "the study") -> Grid:
    """Read a study from the plain values of such a file; paths of tables are relative to
    ``folder``.
    """
    try:
        grid = _build(tree, folder)
        _check_one_attention(grid)
        _check_different(grid)
    except SpecError as error:
        message = f"{_place(tree, error.field)}: {error.message}" if error.field else str(error)
        raise SpecError(f"{where}: {message}") from error
    return grid


def pin(spec: RunSpec) -> RunSpec:
    """Put the digest of a run's table in its spec, so that its key depends on it; a synthetic
    corpus needs none.
    """
    return pin_all([spec])[0]


def pin_all(specs: Iterable[RunSpec]) -> list[RunSpec]:
    """Pin the data of many runs, reading each file once."""
    specs = list(specs)
    named = {data: str(data) for data in {spec.data for spec in specs}}
    sources = {source: data for data, source in named.items()}
    digests = {source: content_digest(data) for source, data in sorted(sources.items())}
    return [_pinned(spec, digests[named[spec.data]]) for spec in specs]


def _pinned(spec: RunSpec, digest: str) -> RunSpec:
    return replace(spec, data=replace(spec.data, digest=digest)) if digest else spec


def _place(tree: Mapping[str, Any], field: str) -> str:
    """Say where in the file a field is set; a field that is not set keeps its name."""
    for table in ("axes", "base"):
        flat = _flat(tree.get(table, {}), table)
        for name in (field, *(f"{room}.{field}" for room in _ROOMS)):
            if name in flat:
                return f"{table}.{name}"
    return field


def _build(tree: Mapping[str, Any], folder: Path) -> Grid:
    if unknown := sorted(set(tree) - {"name", "base", "axes", "show"}):
        raise SpecError(
            f"unknown {unknown[0]!r}; expected name, [base], [axes] and [show], and all "
            "settings inside the middle two"
        )
    if not (name := read_as(str, tree.get("name", ""), "name")).strip():
        raise SpecError('no name; write one, such as name = "who-needs-attention", at the top')
    base = {
        key: value_of(key, value, f"base.{key}")
        for key, value in _flat(tree.get("base", {}), "base").items()
    }
    axes = {key: _axis(key, values) for key, values in _flat(tree.get("axes", {}), "axes").items()}
    if missing := [key for key in ("data", "model") if key not in base and key not in axes]:
        raise SpecError(f"no {missing[0]}; set it in [base], or vary it in [axes]")
    _check_number({key: len(values) for key, values in axes.items()})
    points = [dict(zip(axes, values, strict=True)) for values in product(*axes.values())]
    # Most runs share a file of word vectors, so it is read once; the cache is for this study alone.
    data, trained = cache(partial(_data, folder)), cache(partial(_trained, folder))
    specs = pin_all(_run_spec(base | point, data, trained) for point in points)
    return Grid(
        name,
        tuple(specs),
        tuple(axes),
        tuple(tuple(map(_label, point.values())) for point in points),
    )


def _check_number(lengths: Mapping[str, int]) -> None:
    """Refuse a study with too many runs before any is made."""
    if (runs := math.prod(lengths.values())) > RUNS.now:
        message = " × ".join(f"{count:,} of {key}" for key, count in lengths.items())
        raise SpecError(f"axes: {RUNS.passed(runs)} ({message})")


def _flat(table: Any, where: str) -> dict[str, Any]:
    """Flatten nested tables to dotted names: both ways of writing mean the same, so only one may be
    used for a field.
    """
    if not isinstance(table, dict):
        raise SpecError(f"{where}: expected a table, headed [{where}], got {table!r}")
    flat: dict[str, Any] = {}
    for key, value in table.items():
        inside = value if key in _ROOMS and isinstance(value, dict) else None
        written = (
            {key: value}
            if inside is None
            else {f"{key}.{name}": each for name, each in inside.items()}
        )
        for name, each in written.items():
            field = _field(name, where)
            if field in flat:
                under = key if inside is None else f"[{where}.{key}]"
                raise SpecError(
                    f'{where}: {field} is given twice, as "{field}" and under {under}; keep one'
                )
            flat[field] = each
    return flat


def _field(name: str, where: str) -> str:
    """Find the field that a name means; an unknown name is refused with the nearest one."""
    if (field := field_called(name, FIELDS)) is None:
        message = (
            f"{nearest(name, FIELDS)}sightline list fields names all {len(FIELDS)} that may be set"
        )
        raise SpecError(f"{where}: unknown {name!r}; {message}")
    return field


def _axis(key: str, values: Any) -> list[Any]:
    if not isinstance(values, list):
        raise SpecError(
            f"axes.{key}: expected a list of values, got {values!r}; what does not vary goes "
            "into [base]"
        )
    if not values:
        raise SpecError(
            f"axes.{key}: an empty list, so there would be no runs; give values, or leave "
            "the axis out"
        )
    return [value_of(key, value, f"axes.{key}[{number}]") for number, value in enumerate(values)]


def value_of(key: str, value: Any, where: str) -> Any:
    """Read one value of a field."""
    if key == "companions" and isinstance(value, str):
        value = read_companions(value)  # as the flag reads it
    value = read_as(FIELDS[key], value, where)
    if key == "companions":
        value = known_companions(value)
    if key in ("fit.from_base", "fit.fixed"):
        value = tuple(sorted(value, key=MODEL_PARTS.index))
    if key == "measures":
        if not value:
            raise SpecError(f"{where}: an empty list; name some, or leave it out to take all")
        value = in_order(value)
    if key != "seed" and type(value) in (int, float):
        zero = key in _MAY_BE_ZERO
        if value < 0 or (value == 0 and not zero):
            raise SpecError(
                f"{where}: expected a number {'from' if zero else 'above'} 0, got {value}"
            )
    return value


def _run_spec(
    values: Mapping[str, Any], data: Callable[..., DataSpec], trained: Callable[..., Trained]
) -> RunSpec:
    model, fit = trained(
        values["model"],
        values.get("preset", "default"),
        _inside("fit", values),
        _inside("model", values),
    )
    rest = {key: values[key] for key in _RUN if key in values}
    return RunSpec(data(values["data"], _inside("data", values)), model, fit, **rest)


def _data(folder: Path, source: str, settings: Settings) -> DataSpec:
    data = parse_data(source, **dict(settings))
    if data.files is not None:
        data.files.check_tested()
        return replace(data, files=data.files.seen_from(folder))
    return data if data.kind == "planted" else replace(data, path=str(folder / data.path))


def _trained(
    folder: Path, model: str, preset: str, training: Settings, settings: Settings
) -> Trained:
    spec, fit = build_specs(model, preset, **dict(training))
    spec = replace(spec, **dict(settings))
    if not spec.vectors:
        return spec, fit
    started = with_vectors(spec, folder / from_home(spec.vectors))
    asked = dict(settings).get("embedding", started.embedding)
    if asked != started.embedding:
        message = f"got {asked}, and the vectors of {spec.vectors} have {started.embedding} numbers"
        raise SpecError(f"{message}; leave it out", field="model.embedding")
    return started, fit


def _inside(room: str, values: Mapping[str, Any]) -> Settings:
    return tuple(
        (key.removeprefix(f"{room}."), value)
        for key, value in values.items()
        if key.startswith(f"{room}.")
    )


def _label(value: Any) -> str:
    """Write an axis value as in the file; a list as its items."""
    if isinstance(value, tuple):
        return ", ".join(value) or "none"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _check_one_attention(grid: Grid) -> None:
    """Refuse a model with several labels: it has one attention map for each, and a run
    audits one.
    """
    for spec in grid.specs:
        if spec.model.labelwise:
            raise SpecError(
                f"{spec.model} has one attention for each label, and a run of a study audits one; "
                "leave labelwise out, or audit each label by sightline audit --data",
                field="model",
            )


def _check_different(grid: Grid) -> None:
    first: dict[str, int] = {}
    for number, key in enumerate(grid.keys):
        other = first.setdefault(key, number)
        if other != number:
            one, two = (
                ", ".join(
                    f"{axis} = {label}"
                    for axis, label in zip(grid.axes, grid.labels[i], strict=True)
                )
                for i in (other, number)
            )
            raise SpecError(f"two runs have the same settings: ({one}) and ({two}); leave one out")
