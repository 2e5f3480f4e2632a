"""Resolve the ``model`` argument of a user or a command: a model that was trained, saved, wrapped
or imported.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sightline.adapters.label_views import has_labels
from sightline.adapters.load_external import load_elsewhere
from sightline.adapters.validate_model import validate
from sightline.api.model_source import MODEL_FILE, saved_folder
from sightline.config.spec_syntax import ELSEWHERE, parse_model
from sightline.config.specs import GIVEN, OFFICIAL, DataSpec
from sightline.core.errors import DataError, ModelError, SpecError
from sightline.core.protocols import Auditable
from sightline.core.whole_numbers import whole
from sightline.data.assembly.user_splits import DIVIDED, EVERY_ROW
from sightline.data.dataset import Dataset
from sightline.experiments.device import pick_device
from sightline.experiments.leakage import refuse_calibrated, refuse_seen
from sightline.experiments.load_models import load_companions
from sightline.experiments.pipeline import Trained as Trained
from sightline.experiments.preprocessing import (
    recorded_preparation,
    training_record,
    unlike_training,
)
from sightline.models.model_storage import load_classifier

Model = Trained | Auditable | str | Path
"""What `sightline.train` returned, any auditable model, the folder of a saved model, or a name that
starts with ``py:``, ``answers:``, ``hf:`` or ``hf-causal:``."""


@dataclass(frozen=True)
class KnownModel:
    """A model with its control models and the record of its training."""

    model: Auditable
    companions: Mapping[str, Auditable] = field(default_factory=dict)
    record: Mapping[str, Any] = field(default_factory=dict)
    advice: str = "sightline.audit(model, data)"
    """How to audit it: a line of Python, or a command."""


def known_model(model: Model, device: str = "cpu", *, several: bool = False) -> KnownModel:
    """Read a model if it is named, and collect what is known of it; ``device`` is for a saved one.
    A model with several labels is refused unless ``several``.
    """
    if isinstance(model, Trained):
        return KnownModel(model.model, model.companions, model.record)
    if not isinstance(model, str | Path):
        return KnownModel(_valid(model, several=several))
    device = pick_device(device)
    if str(model).startswith(ELSEWHERE):
        found = _valid(load_elsewhere(str(model), device), several=several)
        return KnownModel(found, advice=_command(model))
    folder = saved_folder(str(model))
    if folder is None:
        wanted = (
            "a trained model, the folder of a saved one, py:package.module:factory, "
            "answers:package.module:function, hf:FOLDER or "
            "hf-causal:FOLDER(template=FILE,answers=A|B)"
        )
        message = f"{model}: expected {wanted}, got {_named_instead(str(model))}"
        raise ModelError(message, change="train it first, and name what came of it", field="model")
    read, record = load_classifier(folder)
    return KnownModel(
        read.to(device), load_companions(folder, record, device), record, _command(folder)
    )


def longest_text(model: Model, asked: int | None) -> int:
    """Return how many words of a text are read: as asked, or else as many as in the training of the
    model.
    """
    if asked is not None:
        return whole(asked, "max_tokens", 1)
    record: Mapping[str, Any] = {}
    if isinstance(model, Trained):
        record = model.record
    elif isinstance(model, str | Path) and (folder := saved_folder(str(model))) is not None:
        record = training_record(folder / MODEL_FILE)
    usual = DataSpec(GIVEN)
    return int(recorded_preparation(usual, record).get("max_tokens", usual.max_tokens))


def _named_instead(model: str) -> str:
    """Say what a name is that is no folder of a model."""
    try:
        parse_model(model)
    except SpecError:
        return "the name of no folder"
    return "a model that is to be trained"


def _valid(model: Any, *, several: bool) -> Auditable:
    if several and has_labels(model):
        validate(model.view(0))  # every label offers what the whole model offers
        found: Auditable = model
        return found
    return validate(model)


def join_with_data(
    model: Model,
    data: Dataset,
    companions: Mapping[str, Auditable] | None,
    *,
    call: str = "audit(model, data)",
    several: bool = False,
) -> Trained:
    """Combine the model with data to audit it on, without texts that it is known to have seen."""
    check_data(data, call)
    _check_named(companions)
    known = known_model(model, several=several)
    refuse_seen(data, frozenset(known.record.get("seen", ())), known.model.name)
    refuse_calibrated(data, known.model)
    if known.model.origin == "elsewhere":
        data = _noting_division(data)
    if unlike := list(unlike_training(_described(data), known.record)):
        data = replace(data, card={**data.card, "unlike_training": unlike})
    others = known.companions if companions is None else companions
    return Trained(known.model, data, others, dict(known.record))


def _check_named(companions: object) -> None:
    """Refuse control models that are not given by their names."""
    if companions is not None and not isinstance(companions, Mapping):
        message = "expected control models by their names, such as {'uniform': model}"
        raise SpecError(f"{message}, got {companions!r:.60}", field="companions")


def _described(data: Dataset) -> DataSpec:
    """Describe how texts in memory were prepared; a recipe counts for a published corpus alone."""
    source, most = str(data.card.get("source", data.name)), data.max_tokens
    kind = source.partition(":")[0]
    if kind not in OFFICIAL:
        return DataSpec(GIVEN, source, max_tokens=most)
    return DataSpec(kind, source, max_tokens=most, recipe=data.card.get("recipe", "clean"))


def check_data(data: object, call: str) -> None:
    """Refuse anything but a dataset, such as the name of a file, and say how to make one."""
    if not isinstance(data, Dataset):
        named = repr(str(data)) if isinstance(data, str | Path) else '"reviews.csv"'
        message = f"expected what sightline.load gives, got {data!r:.60}"
        raise DataError(
            f"{message}; write data = sightline.load({named}), then sightline.{call}", field="data"
        )


def _noting_division(data: Dataset) -> Dataset:
    """Note in the card that the file was split when it was loaded, and how to audit every row."""
    notes = data.card.get("notes", ())
    if not any(note.startswith(DIVIDED) for note in notes):
        return data
    n, there = len(data.test), sum(map(len, data.splits.values()))
    text = (
        f"{n} of {there} texts are to test on, because the file was divided when it was loaded: "
        "with split='all' "
    )
    text += f"{EVERY_ROW}, for a model that was trained on none of them"
    return replace(data, card={**data.card, "notes": [*notes, text]})


def _command(model: str | Path) -> str:
    return f"sightline audit --model {shlex.quote(str(model))} --data FILE"


def class_names(model: Auditable, width: int) -> tuple[str, ...]:
    """Return the names of a model's classes, or numbers if it has no names; ``width`` is the number
    of its logits.
    """
    return model.labels or tuple(f"class {number}" for number in range(max(width, 2)))
