"""Find texts that a model was trained on, so that it is never audited on them."""

from __future__ import annotations

from sightline.core.error_excerpts import show
from sightline.core.errors import DataError, setting
from sightline.core.protocols import Auditable
from sightline.data.assembly.fingerprints import fingerprint
from sightline.data.dataset import Dataset


def seen_texts(dataset: Dataset) -> list[str]:
    """Return fingerprints of the texts that a training on this dataset reads."""
    # Fingerprints, because the folder of a model must not hold texts of the user (decision 0013).
    return [fingerprint(example) for example in (*dataset.train, *dataset.validation)]


def refuse_seen(dataset: Dataset, seen: frozenset[str], folder: str) -> None:
    """Refuse test texts that the model of a folder was trained on.

    Copies between the splits of a published corpus, read by its paper's recipe, belong to the
    corpus; the card counts them.
    """
    if dataset.card.get("recipe") == "paper":
        seen -= frozenset(seen_texts(dataset))
    change = (
        f"use the whole data of its training, divided by the same {setting('seed')} and "
        f"{setting('group')}, or other texts"
    )
    _refuse(dataset, seen, f"train {folder}", change)


def refuse_calibrated(dataset: Dataset, model: Auditable) -> None:
    """Refuse test texts that a prompted model was calibrated on."""
    calibration = getattr(model, "calibration", None)
    if calibration is not None:
        did = f"calibrate {model.name}"
        _refuse(dataset, calibration.seen, did, "calibrate it on other texts", "model")


def _refuse(dataset: Dataset, seen: frozenset[str], did: str, change: str, field: str = "") -> None:
    known = [example for example in dataset.test if fingerprint(example) in seen]
    if known:
        raise DataError(
            f"{dataset.name}: {len(known)} of {len(dataset.test)} test texts were used to {did} "
            f"(the first is {show(known[0].id)}); {change}",
            field=field,
        )
