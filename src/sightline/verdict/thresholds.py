"""The numbers that turn scores into answers: set once, on planted corpora, by
``validation/set_thresholds.py``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files

from sightline.verdict.audit_test import AuditTest
from sightline.verdict.catalogue import AUDIT_TESTS


@dataclass(frozen=True)
class Thresholds:
    """The threshold of each test, and the fewest texts that its result may rest on.

    A test that has no threshold yet is measured and left open, so that one can be set from what was
    measured. ``minimum`` is that of tests which need more texts, or can do with fewer, than
    ``minimum_texts``.
    """

    threshold: Mapping[str, float]
    minimum_texts: int
    minimum: Mapping[str, int] = field(default_factory=dict)

    def of(self, claim: AuditTest) -> float | None:
        """Give the threshold of a claim: its own, where its words name it; None where none is
        set.
        """
        return self.threshold.get(claim.code) if claim.fixed is None else claim.fixed

    def fewest(self, code: str) -> int:
        """Give the fewest texts that a finding may rest on."""
        return self.minimum.get(code, self.minimum_texts)

    @property
    def least(self) -> int:
        """Give the fewest texts that any finding, and so a verdict, may rest on."""
        return min(map(self.fewest, AUDIT_TESTS))


def complaints(known: Thresholds) -> list[str]:
    """Say which claim has no threshold, and which threshold has no claim."""
    missing = [
        code
        for code, one in AUDIT_TESTS.items()
        if one.fixed is None and code not in known.threshold
    ]
    unknown = [code for code in {**known.threshold, **known.minimum} if code not in AUDIT_TESTS]
    lines = [
        (
            f"thresholds.json: no threshold for {code}; validation/set_thresholds.py sets it from "
            "what was measured"
        )
        for code in missing
    ]
    return lines + [
        f"thresholds.json: a threshold for {code}, which no test has; take it out"
        for code in unknown
    ]


def committed() -> Thresholds:
    """Read the thresholds that ship with this version."""
    stored = json.loads(
        files("sightline.verdict").joinpath("thresholds.json").read_text(encoding="utf-8")
    )
    return Thresholds(stored["delta"], stored["minimum_texts"], stored.get("minimum", {}))
