"""The key that names a run: a hash of its content, whatever order its options came in."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from sightline.errors import SpecError
from sightline.spec.values import RunSpec

OF_AN_AUDIT: Mapping[str, Any] = {"limit": None, "companions": (), "measures": (), "altered": "", "gradient": "input"}
"""What only the audit of a run reads, each as it says nothing: runs that differ in nothing else share a training."""


def run_key(spec: RunSpec) -> str:
    """Name a run by its content: equal specs have equal keys, whatever order their options came in."""
    return _name(spec.to_json())


def training_key(spec: RunSpec) -> str:
    """Name the training of a run alone: what only its audit reads is left out."""
    return _name({name: value for name, value in spec.to_json().items() if name not in OF_AN_AUDIT})


def lasting_key(spec: RunSpec) -> str:
    """Name a run by its content but for the bytes of its vectors: learned on another machine, last digits differ."""
    if not spec.model.vectors_digest:
        return run_key(spec)
    return run_key(replace(spec, model=replace(spec.model, vectors=Path(spec.model.vectors).name, vectors_digest="")))


def _without_folders(data: dict[str, Any]) -> dict[str, Any]:
    files = {split: table | {"path": Path(table["path"]).name} for split, table in data.get("files", {}).items()}
    return data | {"path": Path(data["path"]).name} | ({"files": files} if files else {})


def _name(item: dict[str, Any]) -> str:
    if item["data"]["digest"]:  # the bytes name the table: the same study from another folder is the same run
        item = item | {"data": _without_folders(item["data"])}
    if item["model"].get("vectors_digest"):  # likewise
        item = item | {"model": item["model"] | {"vectors": Path(item["model"].get("vectors", "")).name}}
    try:
        canonical = json.dumps(item, sort_keys=True, separators=(",", ":"), allow_nan=False)
    except ValueError:
        raise SpecError(f"run spec: expected finite numbers, got {item}") from None
    return hashlib.sha256(canonical.encode()).hexdigest()[:16]
