"""The key that names a run: a hash of its content, independent of the order of options.

The content is the spec, plus the settings that the numbers depend on and no spec holds
(`sightline.config.key_defaults`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from sightline.config.key_defaults import changed, of_audit, of_training
from sightline.config.specs import RunSpec
from sightline.core.errors import SpecError

OF_AN_AUDIT: Mapping[str, Any] = {
    "limit": None,
    "companions": (),
    "measures": (),
    "altered": "",
    "gradient": "input",
}
"""Fields that only the audit of a run reads, each with its neutral value. Runs that differ only in
these share a training."""


def run_key(spec: RunSpec) -> str:
    """Name a run by its content: equal specs have equal keys."""
    return _name(spec.to_json(), [*of_training(spec), *of_audit(spec)])


def training_key(spec: RunSpec) -> str:
    """Name the training of a run, leaving out the fields that only its audit reads."""
    read = {name: value for name, value in spec.to_json().items() if name not in OF_AN_AUDIT}
    return _name(read, of_training(spec))


LEARNED = ".vectors.txt"
"""The file ending of vectors that were learned here from training texts."""


def lasting_key(spec: RunSpec) -> str:
    """Name a run without the bytes of vectors learned here: their last digits differ between
    machines.
    """
    if not (spec.model.vectors_digest and spec.model.vectors.endswith(LEARNED)):
        return run_key(spec)
    return run_key(
        replace(
            spec,
            model=replace(spec.model, vectors=Path(spec.model.vectors).name, vectors_digest=""),
        )
    )


def _without_folders(data: dict[str, Any]) -> dict[str, Any]:
    files = {
        split: table | {"path": Path(table["path"]).name}
        for split, table in data.get("files", {}).items()
    }
    return data | {"path": Path(data["path"]).name} | ({"files": files} if files else {})


def _name(item: dict[str, Any], unsaid: Iterable[tuple[str, Mapping[str, Any]]]) -> str:
    if settings := changed(unsaid):
        item = item | {"settings": settings}
    if item["data"][
        "digest"
    ]:  # the bytes name the table: the same study from another folder is the same run
        item = item | {"data": _without_folders(item["data"])}
    if item["model"].get("vectors_digest"):  # named by the digest, too
        item = item | {
            "model": item["model"] | {"vectors": Path(item["model"].get("vectors", "")).name}
        }
    try:
        canonical = json.dumps(item, sort_keys=True, separators=(",", ":"), allow_nan=False)
    except ValueError:
        raise SpecError(f"run spec: expected finite numbers, got {item}") from None
    return hashlib.sha256(canonical.encode()).hexdigest()[:16]
