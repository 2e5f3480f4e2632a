"""The numbers that turn effects into answers: set once, on planted corpora, by ``validation/set_thresholds.py``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files

from sightline.findings.claim import Claim
from sightline.findings.claims import CLAIMS


@dataclass(frozen=True)
class Thresholds:
    """The smallest effect that matters for each finding (δ), and the fewest texts that a finding may rest on.

    A claim that has no δ yet is measured and left open, so that one can be set from what was measured. ``minimum`` is
    that of findings which need more texts, or can do with fewer, than ``minimum_texts``.
    """

    delta: Mapping[str, float]
    minimum_texts: int
    minimum: Mapping[str, int] = field(default_factory=dict)

    def of(self, claim: Claim) -> float | None:
        """Give the threshold of a claim: its own, where its words name it; None where none is set."""
        return self.delta.get(claim.code) if claim.fixed is None else claim.fixed

    def fewest(self, code: str) -> int:
        """Give the fewest texts that a finding may rest on."""
        return self.minimum.get(code, self.minimum_texts)

    @property
    def least(self) -> int:
        """Give the fewest texts that any finding, and so a verdict, may rest on."""
        return min(map(self.fewest, CLAIMS))


def complaints(known: Thresholds) -> list[str]:
    """Say which claim has no δ, and which δ has no claim."""
    missing = [code for code, one in CLAIMS.items() if one.fixed is None and code not in known.delta]
    unknown = [code for code in {**known.delta, **known.minimum} if code not in CLAIMS]
    told = [
        f"thresholds.json: no δ for {code}; validation/set_thresholds.py sets it from what was measured"
        for code in missing
    ]
    return told + [f"thresholds.json: a δ for {code}, which no claim has; take it out" for code in unknown]


def committed() -> Thresholds:
    """Read the thresholds that ship with this version."""
    stored = json.loads(files("sightline.findings").joinpath("thresholds.json").read_text(encoding="utf-8"))
    return Thresholds(stored["delta"], stored["minimum_texts"], stored.get("minimum", {}))
