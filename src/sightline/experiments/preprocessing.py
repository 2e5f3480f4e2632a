"""Prepare the texts of an audit as those of the model's training, or report the difference."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from sightline.config.json_reader import parse_json
from sightline.config.specs import DataSpec
from sightline.core.errors import SpecError

SHAPING = ("max_tokens", "recipe", "min_count")
"""Fields of a data spec that decide which words of a text a model reads."""
_LABELS = {
    "max_tokens": (
        "texts are cut to {} words (max_tokens), and the model was trained on texts cut to {}"
    ),
    "recipe": (
        "texts are prepared by the recipe {}, and the model was trained on texts prepared by {}"
    ),
}


def prepared_alike(data: DataSpec, file: Path, typed: Collection[str]) -> DataSpec:
    """Prepare data as in the training that ``model.json`` records, except for fields ``typed`` by
    the user.
    """
    known = recorded_preparation(data, training_record(file))
    return replace(data, **{name: value for name, value in known.items() if name not in typed})


def training_record(file: Path) -> Mapping[str, Any]:
    """Return the training record in a ``model.json``; empty if there is none or it cannot
    be read.
    """
    try:
        found = parse_json(file.read_text(encoding="utf-8"), "model")
    except (OSError, UnicodeDecodeError, SpecError):
        return {}  # loading the model reports what is wrong with it
    record = found.get("training") if isinstance(found, dict) else None
    return record if isinstance(record, Mapping) else {}


def recorded_preparation(data: DataSpec, record: Any) -> dict[str, Any]:
    """Return how the texts of a training were prepared; a recipe is kept only for its
    own corpus.
    """
    known = record
    for name in ("run", "run", "data"):  # the run, and the spec in it
        known = known.get(name) if isinstance(known, Mapping) else None
    if not isinstance(known, Mapping):
        return {}
    names = [name for name in SHAPING if name != "recipe" or known.get("kind") == data.kind]
    return {
        name: known[name] for name in names if type(known.get(name)) is type(getattr(data, name))
    }


def unlike_training(data: DataSpec, record: Mapping[str, Any]) -> Iterator[str]:
    """Describe each difference between these texts and the texts of the training, one sentence
    each.
    """
    before = recorded_preparation(data, record)
    for name, label in _LABELS.items():
        if name in before and before[name] != getattr(data, name):
            yield label.format(getattr(data, name), before[name])
