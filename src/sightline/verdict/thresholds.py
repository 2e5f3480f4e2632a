"""The thresholds that turn scores into results, set once on synthetic data by
``validation/set_thresholds.py``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files

from sightline.numerics.text_clusters import COUNT_AS_ONE
from sightline.verdict.audit_test import AuditTest
from sightline.verdict.catalogue import AUDIT_TESTS


@dataclass(frozen=True)
class Thresholds:
    """The threshold and the minimum sample size of each test.

    A test without a threshold is measured and left inconclusive, so that one can be set from its
    measurements. ``minimum`` has the sample size of tests that need more or fewer texts than
    ``minimum_texts``.
    """

    threshold: Mapping[str, float]
    minimum_texts: int
    minimum: Mapping[str, int] = field(default_factory=dict)

    def of(self, claim: AuditTest) -> float | None:
        """Give the threshold of a test: its fixed one, if its words contain it; None if none is
        set.
        """
        return self.threshold.get(claim.code) if claim.fixed is None else claim.fixed

    def fewest(self, code: str) -> int:
        """Give the minimum sample size of a test."""
        return self.minimum.get(code, self.minimum_texts)

    @property
    def least(self) -> int:
        """Give the smallest sample size of any test, and so of a verdict."""
        return min(map(self.fewest, AUDIT_TESTS))


def default_thresholds() -> Thresholds:
    """Read the thresholds that ship with this version."""
    stored = json.loads(
        files("sightline.verdict").joinpath("thresholds.json").read_text(encoding="utf-8")
    )
    return Thresholds(stored["delta"], stored["minimum_texts"], stored.get("minimum", {}))


def no_verdict(n: int, counted: int, least: int, *, of: str = "") -> str:
    """Say that the test texts, which may count as fewer, are too few for a verdict."""
    counted_as = f", which count as {counted} ({COUNT_AS_ONE})" if counted < n else ""
    return (
        f"{n} test texts{counted_as}{of}: a verdict rests on at least {least}, so an audit of these "
        "will say that it cannot tell"
    )
