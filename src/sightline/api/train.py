"""Load data and train a model, in two lines of Python."""

from __future__ import annotations

import hashlib
from dataclasses import fields
from pathlib import Path
from typing import Any

from sightline._io.atomic_write import plain
from sightline.api.model_argument import check_data
from sightline.api.model_source import choose_training
from sightline.api.run_options import AuditOptions, TrainingOptions
from sightline.config.spec_syntax import parse_data
from sightline.config.specs import GIVEN, DataSpec
from sightline.core.errors import DataError, SpecError, near_it
from sightline.core.whole_numbers import whole
from sightline.data import load_dataset
from sightline.data.assembly.fingerprints import fingerprint
from sightline.data.dataset import Dataset
from sightline.data.readers.data_frame import Frame
from sightline.experiments.callbacks import Display
from sightline.experiments.device import pick_device
from sightline.experiments.load_models import save_trained as save_trained
from sightline.experiments.pipeline import Trained, train_on


def train(
    data: Dataset,
    model: str = "bilstm+additive",
    *,
    seed: int = 0,
    preset: str = "default",
    epochs: int | None = None,
    batch_size: int | None = None,
    learning_rate: float | None = None,
    vectors: str | Path | None = None,
    companions: str = "uniform",
    device: str = "cpu",
    display: Display | None = None,
) -> Trained:
    """Train a classifier on the training texts, together with the control models that its audit
    needs.

    Validation texts choose the epoch that is kept. The same data, model and seed give what
    ``sightline train`` gives.

    Parameters
    ----------
    model
        A spec such as ``bilstm(layers=2)+additive``: see ``sightline list models``. Texts with
        several labels each need one with ``labelwise``, such as ``cnn+labelwise``.
    preset
        Sizes and training from a paper; ``epochs``, ``batch_size`` and ``learning_rate`` override
        it.
    companions
        Control models: ``uniform``, ``frozen``, both with a comma, or ``none`` (faster, but fewer
        tests run).
    display
        Receives the progress of the training.
    """
    check_data(data, "train(data)")
    if not data.train:
        raise DataError(
            f"{data.name}: no training texts; load them without split='all'", field="data"
        )
    if not isinstance(model, str):
        raise SpecError(
            f"expected a spec such as 'bilstm+additive', got {model!r:.60}", field="model"
        )
    # Numbers of numpy become Python's: a run is known by its spec as JSON.
    numbers = plain({"epochs": epochs, "batch_size": batch_size, "learning_rate": learning_rate})
    training = TrainingOptions(preset=preset, companions=companions, vectors=vectors, **numbers)
    asked = AuditOptions(seed=whole(seed, "seed"))
    source = choose_training(_spec_of(data), model, training, asked)
    return train_on(data, source.spec, display or Display(), pick_device(device))


def load(data: str | Path | DataSpec | Frame, seed: int = 0, **settings: Any) -> Dataset:
    """Read a table, a data frame or a published corpus, or generate a synthetic one, and split it:
    ``load("reviews.csv")``.

    ``settings`` name the columns of a table (``text``, ``label``, ``split``, ``rationale``,
    ``query``, ``id``, ``group``) and say how texts are read (``labels_sep``, ``max_tokens``,
    ``min_count``, ``recipe``, ``on_copies``), as the flags of these names do.
    ``split="all"`` makes every row a test text, for a model that is trained already. A data frame
    of pandas, polars or pyarrow takes the same settings, and ``name``. Lists of texts:
    `sightline.data_from`.
    """
    if unknown := sorted(settings.keys() - _settings(data)):
        known = sorted(_settings(data))
        near = near_it(unknown[0], known)
        raise SpecError(f"expected one of {', '.join(known)}{near}", field=unknown[0])
    numbers = [name for name in ("max_tokens", "min_count") if name in settings]
    settings |= {name: whole(settings[name], name, 1) for name in numbers}
    if isinstance(data, Frame):
        return load_dataset.load_frame(data, seed, **settings)
    if isinstance(data, DataSpec) and settings:
        raise SpecError("a DataSpec has this setting itself; set it there", field=min(settings))
    spec = data if isinstance(data, DataSpec) else parse_data(str(data), **settings)
    return load_dataset.load(spec, seed, training=not spec.every_row)


def _settings(data: object) -> set[str]:
    """Name what `load` can set: the fields of a spec that are no source of texts."""
    names = {field.name for field in fields(DataSpec)} - {"kind", "path", "part", "files", "digest"}
    return names | {"name"} if isinstance(data, Frame) else names


def _spec_of(data: Dataset) -> DataSpec:
    """Describe data in memory by their name, and by a digest of everything that training reads."""
    digest = hashlib.sha256()
    for name, split in data.splits.items():
        digest.update(f"{name} {len(split)}\n".encode())
        for example in split:
            words = f"{fingerprint(example)} {len(example.tokens)}"
            digest.update(f"{words} {data.label_names[example.label]!r}\n".encode())
    source = str(data.card.get("source", data.name))
    return DataSpec(
        GIVEN,
        source,
        max_tokens=data.max_tokens,
        min_count=data.card.get("min_count", 1),
        digest=digest.hexdigest(),
    )
