"""A trained classifier on disk: weights in safetensors, everything else in JSON; nothing in it can be executed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from safetensors import SafetensorError
from safetensors.torch import load_model, save

from sightline.data.vocabulary import Vocabulary
from sightline.errors import ModelError, SightlineError
from sightline.files import plain, write_whole
from sightline.models.classifier import AttentionClassifier, build
from sightline.spec.typed import model_from_json

FORMAT = 1


def save_classifier(
    model: AttentionClassifier,
    folder: str | Path,
    seed: int,
    record: Mapping[str, Any] | None = None,
    companions: Mapping[str, AttentionClassifier] | None = None,
) -> Path:
    """Write a classifier to a folder with its companions, whole or not at all; ``record`` says how it was trained."""
    final = Path(folder)
    if final.exists() and not (final / "model.json").exists():
        raise ModelError(f"{final}: exists and is not a saved model; name a new folder")

    def write(aside: Path) -> None:
        write_classifier(model, aside, seed, dict(record or {}))
        for name, companion in (companions or {}).items():
            write_classifier(companion, aside / "companions" / name, seed, {})

    return write_whole(final, write)


def write_classifier(model: AttentionClassifier, folder: Path, seed: int, record: Mapping[str, Any]) -> None:
    """Write a classifier into a folder that does not exist yet."""
    card = {
        "format": FORMAT,
        "spec": asdict(model.spec),
        "labels": model.label_names,
        "vocabulary": model.vocabulary.to_json(),
        "seed": seed,
        "training": record,
    }
    folder.mkdir(parents=True)
    (folder / "model.json").write_text(json.dumps(plain(card), ensure_ascii=False), encoding="utf-8")
    tensors = {name: tensor.detach().cpu().contiguous() for name, tensor in model.state_dict().items()}
    # Not by `save_file`: what a full disk says to it is no OSError, so it would pass for a failure of the model.
    (folder / "model.safetensors").write_bytes(save(tensors))


def load_classifier(folder: str | Path) -> tuple[AttentionClassifier, dict[str, Any]]:
    """Read a classifier that `save_classifier` wrote, and the record of its training."""
    path = Path(folder)
    try:
        card = json.loads((path / "model.json").read_text(encoding="utf-8"))
        if card["format"] != FORMAT:
            raise ModelError(f"{path}: format {card['format']}, this version reads {FORMAT}; train the model again")
        spec, vocabulary = model_from_json(card["spec"]), Vocabulary.from_json(card["vocabulary"])
        model = build(spec, vocabulary, tuple(card["labels"]), int(card["seed"]))
        load_model(model, path / "model.safetensors")
    except SightlineError:
        raise
    except (OSError, ValueError, KeyError, TypeError, RuntimeError, SafetensorError) as error:
        raise ModelError(f"{path}: expected a folder that `sightline train` wrote, got: {error}") from error
    return model.eval(), dict(card["training"])
