"""Data, a trained model and its audit, in three lines of Python."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from sightline.audits import Audit
from sightline.data import loading
from sightline.data.corpora.own_rule import DIVIDED, EVERY_ROW
from sightline.data.dataset import Dataset
from sightline.data.fingerprints import fingerprint
from sightline.errors import DataError, SpecError
from sightline.experiments.run import Trained, audit_trained, train_on
from sightline.experiments.seen import refuse_seen
from sightline.experiments.subject import choose_training
from sightline.experiments.trainings import Display
from sightline.front.models import Model, known_model
from sightline.spec.texts import parse_data
from sightline.spec.values import GIVEN, DataSpec
from sightline.taking.measuring import Progress
from sightline.types import Auditable


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
    """Train a classifier on the training texts, and beside it the companions that its audit compares it with.

    Validation texts choose the epoch that is kept. The same data, model and seed give what ``sightline train`` gives.

    Parameters
    ----------
    model
        A spec such as ``bilstm(layers=2)+additive``: see ``sightline list models``.
    preset
        Sizes and training from a paper; ``epochs``, ``batch_size`` and ``learning_rate`` override it.
    companions
        ``uniform``, ``frozen``, both with a comma, or ``none`` (faster, and the audit answers less).
    display
        Where it is told how far the training is.
    """
    _check_data(data, "train(data)")
    if not data.train:
        raise DataError(f"{data.name}: no training texts; load them without split='all'", field="data")
    if not isinstance(model, str):
        raise SpecError(f"expected a spec such as 'bilstm+additive', got {model!r:.60}", field="model")
    fit = {"epochs": epochs, "batch_size": batch_size, "learning_rate": learning_rate}
    training = {"preset": preset, "vectors": vectors, "companions": companions, **fit}
    subject = choose_training(_spec_of(data), model, training, seed=seed)
    return train_on(data, subject.spec, display or Display(), device)


def audit(
    model: Model,
    data: Dataset,
    companions: Mapping[str, Auditable] | None = None,
    seed: int = 0,
    *,
    on_progress: Progress = lambda done, total: None,
    **options: Any,
) -> Audit:
    """Ask whether a model's attention can be trusted as an explanation, on the test texts of a dataset.

    Parameters
    ----------
    model
        What `sightline.train` gave, the folder of a saved model (the companions of both come along),
        ``py:package.module:factory``, or anything that can be audited, such as what `sightline.wrap` gives.
    data
        Its test split is audited; texts that the model is known to have been trained on are refused. A table without
        a split column was divided when it was loaded: for a model that was trained on none of it,
        ``load(…, split="all")`` makes every row a test text.
    companions
        Others than those that came with the model, by name (``uniform``).
    seed
        Determines every random draw, text by text: batching and order cannot matter.
    options
        ``limit`` (a seeded sample of so many texts), ``scores``, ``label_map`` (which class of the model a label is:
        ``{"pos": "POSITIVE"}``), ``measures``, ``batch_size`` and what else
        `sightline.auditing.audit` takes.
    """
    _check_data(data, "audit(model, data)")
    known = known_model(model)
    if data.card.get("recipe") != "paper":  # its copies between splits are the paper's own; the card counts them
        refuse_seen(data, frozenset(known.record.get("seen", ())), known.model.name)
    if known.model.origin == "elsewhere":
        data = _noting_division(data)
    beside = known.companions if companions is None else companions
    trained = Trained(known.model, data, beside, dict(known.record))
    about = {"data": str(data.card.get("source", data.name)), "model": known.model.name}
    said = about | {"trained": known.record["run"]} if "run" in known.record else about
    return audit_trained(trained, seed, Display(on_texts=on_progress), spec=said | options.pop("spec", {}), **options)


def load(data: str | Path | DataSpec, seed: int = 0, **settings: Any) -> Dataset:
    """Read a table or a published corpus, or generate a planted one, and divide it: ``load("reviews.csv")``.

    ``settings`` name the columns of a table (``text``, ``label``, ``split``, ``rationale``, ``query``) and say how
    texts are read (``max_tokens``, ``min_count``, ``recipe``). ``split="all"`` makes every row a test text, for a model
    that is trained already. Texts that Python holds already: `sightline.data_from`.
    """
    spec = data if isinstance(data, DataSpec) else parse_data(str(data), **settings)
    return loading.load(spec, seed, training=not spec.every_row)


def _noting_division(data: Dataset) -> Dataset:
    """Say in the card that a file was divided when it was loaded, and how every row of it is audited."""
    notes = data.card.get("notes", ())
    if not any(note.startswith(DIVIDED) for note in notes):
        return data
    n, there = len(data.test), sum(map(len, data.splits.values()))
    told = f"{n} of {there} texts are to test on, because the file was divided when it was loaded: with split='all' "
    told += f"{EVERY_ROW}, for a model that was trained on none of them"
    return replace(data, card={**data.card, "notes": [*notes, told]})


def _check_data(data: object, call: str) -> None:
    """Refuse what is not a dataset, such as the name of a file, and say how one is made."""
    if not isinstance(data, Dataset):
        named = repr(str(data)) if isinstance(data, str | Path) else '"reviews.csv"'
        told = f"expected what sightline.load gives, got {data!r:.60}"
        raise DataError(f"{told}; write data = sightline.load({named}), then sightline.{call}", field="data")


def _spec_of(data: Dataset) -> DataSpec:
    """Describe data that were handed over: by what they are called, and by a digest of all that training reads."""
    digest = hashlib.sha256()
    for name, split in data.splits.items():
        digest.update(f"{name} {len(split)}\n".encode())
        for example in split:
            words = f"{fingerprint(example)} {len(example.tokens)}"
            digest.update(f"{words} {data.label_names[example.label]!r}\n".encode())
    source = str(data.card.get("source", data.name))
    return DataSpec(GIVEN, source, min_count=data.card.get("min_count", 1), digest=digest.hexdigest())
