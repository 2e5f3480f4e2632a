"""The numbers that turn effects into answers: set once, on planted corpora, by ``scripts/set_thresholds.py``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files


@dataclass(frozen=True)
class Thresholds:
    """The smallest effect that matters for each finding (δ), and the fewest texts a verdict may rest on."""

    delta: Mapping[str, float]
    minimum_texts: int


def committed() -> Thresholds:
    """Read the thresholds that ship with this version."""
    stored = json.loads(files("sightline.findings").joinpath("thresholds.json").read_text(encoding="utf-8"))
    return Thresholds(stored["delta"], stored["minimum_texts"])
