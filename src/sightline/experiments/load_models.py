"""Load trained models, saved or from the user's own code, and data to audit them on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from sightline.adapters.label_alignment import LabelMap, numbered_for, numbered_for_model
from sightline.adapters.label_views import has_labels
from sightline.adapters.load_external import load_elsewhere
from sightline.config.specs import DataSpec
from sightline.config.user_tables import LABELS_SEPARATOR, WITH_LABELS
from sightline.core.errors import ModelError
from sightline.core.protocols import Auditable, SupportsAttentionSources, SupportsSurvey
from sightline.data.corpus_cache import content_digest
from sightline.data.dataset import SPLITS, Dataset
from sightline.data.load_dataset import load, watching_divisions
from sightline.experiments.device import check_place, pick_device
from sightline.experiments.leakage import refuse_calibrated, refuse_seen
from sightline.experiments.pipeline import Trained, card_with_vectors
from sightline.experiments.preprocessing import unlike_training
from sightline.measures.default_measures import default_measures
from sightline.models.classifier import AttentionClassifier
from sightline.models.model_storage import (
    CONTROLS,
    CONTROLS_FOLDER,
    companions_in,
    load_classifier,
    save_classifier,
)


def save_trained(trained: Trained, folder: str | Path) -> Path:
    """Write a model and its control models to one folder, completely or not at all."""
    companions = {name: _built_in(companion) for name, companion in trained.companions.items()}
    return save_classifier(_built_in(trained.model), folder, trained.record, companions)


def _built_in(model: Auditable) -> AttentionClassifier:
    if not isinstance(model, AttentionClassifier):
        raise ModelError(
            f"{model.name}: expected a built-in model to save, got another; save its own weights"
        )
    return model


def load_trained(
    folder: str | Path,
    data: DataSpec,
    seed: int,
    device: str = "cpu",
    label_map: LabelMap | None = None,
    measures: tuple[str, ...] = (),
) -> Trained:
    """Read a saved model with its control models, and data to audit it on, without texts that it
    was trained on.
    """
    model, record = load_classifier(folder)
    seen = frozenset[str](record.get("seen", ()))
    data = with_labels(data, model)
    dataset = load_to_audit(data, seed, seen, measures=measures)
    if not has_labels(model):
        dataset = numbered_for(dataset, model.label_names, label_map)
    refuse_seen(dataset, seen, str(folder))
    if unlike := list(unlike_training(data, record)):
        dataset = replace(dataset, card={**dataset.card, "unlike_training": unlike})
    others = load_companions(folder, record, device)
    return Trained(model.to(device), card_with_vectors(dataset, record), others, record)


def load_to_audit(
    data: DataSpec,
    seed: int,
    seen: frozenset[str] = frozenset(),
    *,
    choosing: bool = False,
    measures: tuple[str, ...] = (),
) -> Dataset:
    """Read the texts that an audit of a trained model uses, without those of its training.

    If nothing names splits, every text is used, unless the model has ``seen`` some of them
    (`load`). If an attention source is to be chosen, validation texts are included, and so are
    those of a split from which one of the named ``measures`` learns. Copies between splits in the
    papers' recipe are found by their texts, so all its splits are kept.
    """
    taken = default_measures(chosen=measures)
    surveyed = {one.surveys for one in taken if isinstance(one, SupportsSurvey)}
    needed = {"test", *surveyed, *(["validation"] if choosing else [])}
    kept = SPLITS if data.recipe == "paper" else tuple(split for split in SPLITS if split in needed)
    return load(data, seed, training=False, kept=kept, seen=seen)


def with_labels(data: DataSpec, model: Auditable) -> DataSpec:
    """Read all labels of a text if the model has several and the data spec does not say how they
    are written.
    """
    if not has_labels(model) or data.labels_sep or data.kind not in WITH_LABELS:
        return data
    return replace(data, labels_sep=LABELS_SEPARATOR)


def load_companions(
    folder: str | Path, record: Mapping[str, Any], device: str = "cpu"
) -> dict[str, AttentionClassifier]:
    """Read the control models of a saved model, by name; one that its record names and the folder
    lacks is an error.
    """
    place = Path(folder)
    if lost := sorted({*record.get(CONTROLS, ())} - {*companions_in(place)}):
        raise ModelError(
            f"{folder}: expected its control model {lost[0]!r} in {CONTROLS_FOLDER}, got none",
            change="copy the whole folder that sightline train wrote",
            field="model",
        )
    return {
        name: load_classifier(place / CONTROLS_FOLDER / name)[0].to(device)
        for name in companions_in(place)
    }


def load_imported(
    spec: str,
    data: DataSpec,
    seed: int,
    device: str = "auto",
    label_map: LabelMap | None = None,
    measures: tuple[str, ...] = (),
) -> Trained:
    """Build a model that comes from elsewhere, and read data to audit it on; the texts that it has
    seen are unknown.

    If its code divides the same file, it may have trained on a part: the file is divided here, too,
    and no text of that part is audited.
    """
    with watching_divisions(spec) as divided:
        model = load_elsewhere(spec, pick_device(device))
    seen = frozenset(divided.get(content_digest(data), ()) if divided else ())
    data = with_labels(data, model)
    choosing = isinstance(model, SupportsAttentionSources) and model.choosing
    dataset = load_to_audit(data, seed, seen, choosing=choosing, measures=measures)
    refuse_seen(dataset, seen, spec)
    refuse_calibrated(dataset, model)
    if (place := getattr(model, "device", None)) is not None:
        check_place(spec, place, device)
    if not has_labels(model):
        dataset = numbered_for_model(dataset, model, label_map)
    return Trained(model, dataset, {}, {})
