"""Which texts a model was trained on, so that it is never audited on them."""

from __future__ import annotations

from pathlib import Path

from sightline.core.errors import DataError
from sightline.core.protocols import Auditable
from sightline.data.dataset import Dataset
from sightline.data.fingerprints import fingerprint
from sightline.experiments.preprocessing import training_record


def seen_texts(dataset: Dataset) -> list[str]:
    """Name the texts that a training on this dataset reads."""
    # Fingerprints, as texts of the user's must not lie in the folder of a model (decision 0013).
    return [fingerprint(example) for example in (*dataset.train, *dataset.validation)]


def seen_by(file: Path) -> frozenset[str]:
    """Give the fingerprints in a ``model.json``; none where it cannot be read, which loading the
    model reports.
    """
    seen = training_record(file).get("seen", ())
    return frozenset(map(str, seen)) if isinstance(seen, list) else frozenset()


def refuse_seen(dataset: Dataset, seen: frozenset[str], folder: str) -> None:
    """Refuse test texts that the model of a folder was trained on."""
    if known := _known(dataset, seen):
        raise DataError(
            f"{known} were used to train {folder}; use the seed of the training, or other texts",
            field="seed",
        )


def refuse_calibrated(dataset: Dataset, model: Auditable) -> None:
    """Refuse test texts that a prompted model was calibrated on."""
    calibration = getattr(model, "calibration", None)
    if calibration is not None and (known := _known(dataset, calibration.seen)):
        raise DataError(
            f"{known} were used to calibrate {model.name}; calibrate on other texts", field="model"
        )


def _known(dataset: Dataset, seen: frozenset[str]) -> str:
    """Count the test texts that were seen, and name the first; empty where none was."""
    known = [example for example in dataset.test if fingerprint(example) in seen]
    n = f"{dataset.name}: {len(known)} of {len(dataset.test)} test texts"
    return f"{n} (the first is {known[0].id})" if known else ""
