"""The bounds of each number of an audit, by its column: a quantity, a test or a metric."""

from __future__ import annotations

import math

from sightline.config.measure_registry import quantity_of
from sightline.stats.intervals import UNIT, Bounds
from sightline.verdict.accuracy_drop import DROPS
from sightline.verdict.audit_test import AuditTest
from sightline.verdict.catalogue import AUDIT_TESTS, TOP_WORDS_MATTER

SHARES = ("accuracy", "f1", "learned.guessing", TOP_WORDS_MATTER)
EXCEEDED = ("SL-301", "SL-302")
"""Tests whose score can exceed 1: several words together may do more than the words that do most one
by one."""
DIFFERENCES = ("learned.above", *DROPS)
"""Numbers between −1 and 1, because they are a difference of shares."""


def ends_of(name: str) -> Bounds:
    """Give the smallest and the largest possible value, infinite where there is none; None if both
    are infinite.

    Number and chance level of a test are quantities under another name (`AuditTest.number`), and
    have the bounds of these.

    >>> ends_of("SL-101.number"), ends_of("agreement.captured.gradient"), ends_of("SL-101")
    ((0.0, 1.0), (0.0, 1.0), (-inf, 1.0))
    """
    if name in SHARES or name.startswith(f"{TOP_WORDS_MATTER}."):
        return 0.0, 1.0
    if name in DIFFERENCES:
        return UNIT
    measure, _, part = name.partition(".")
    return _of_claim(AUDIT_TESTS[measure], part) if measure in AUDIT_TESTS else _of_quantity(name)


def _of_claim(claim: AuditTest, part: str) -> Bounds:
    """Give the bounds of a test's score, number or chance level.

    A score has no lower bound. It ends at 1, except for tests whose best achievable value is a
    reference that can be exceeded.
    """
    if claim.kind == "weakest drop":
        return UNIT
    if part == "baseline":
        return _of_quantity(claim.baseline)
    if part == "number" or claim.kind in ("share", "share without"):
        return _of_quantity(claim.number)
    return None if claim.code in EXCEEDED else (-math.inf, 1.0)


def _of_quantity(name: str) -> Bounds:
    measure, _, quantity = name.partition(".")
    known = quantity_of(measure, quantity)
    if known is None or (math.isinf(known.scale.low) and math.isinf(known.scale.high)):
        return None
    return float(known.scale.low), float(known.scale.high)
