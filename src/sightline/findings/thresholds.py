"""The numbers that turn effects into answers: set once, on planted corpora, by ``scripts/set_thresholds.py``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files

from sightline.errors import SpecError
from sightline.findings.claims import CLAIMS


@dataclass(frozen=True)
class Thresholds:
    """The smallest effect that matters for each finding (δ), and the fewest texts a verdict may rest on."""

    delta: Mapping[str, float]
    minimum_texts: int

    def __post_init__(self) -> None:
        missing = [code for code in CLAIMS if code not in self.delta]
        unknown = [code for code in self.delta if code not in CLAIMS]
        if missing:
            raise SpecError(
                f"no δ for {', '.join(missing)}; every claim has one (scripts/set_thresholds.py sets those that ship)",
                field="thresholds",
            )
        if unknown:
            raise SpecError(f"a δ for {', '.join(unknown)}, which no claim has; take it out", field="thresholds")


def committed() -> Thresholds:
    """Read the thresholds that ship with this version."""
    stored = json.loads(files("sightline.findings").joinpath("thresholds.json").read_text(encoding="utf-8"))
    return Thresholds(stored["delta"], stored["minimum_texts"])
