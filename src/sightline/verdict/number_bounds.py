"""Between which ends a number of an audit lies, by its name as a column: that of a quantity, a
finding or a metric.
"""

from __future__ import annotations

import math

from sightline.config.measure_registry import quantity_of
from sightline.stats.intervals import UNIT, Bounds
from sightline.verdict.accuracy_drop import DROPS
from sightline.verdict.audit_test import AuditTest
from sightline.verdict.catalogue import AUDIT_TESTS

SHARES = ("accuracy", "f1", "learned.guessing")
DIFFERENCES = ("learned.above", *DROPS)
"""What lies between −1 and 1, because it is one share less another."""


def ends_of(name: str) -> Bounds:
    """Give the least and the most that a number can be, infinite where there is none; None where it
    has neither.

    A finding's number and chance level are quantities under another name (`AuditTest.number`), and
    have the ends of these.

    >>> ends_of("SL-101.number"), ends_of("agreement.captured.gradient"), ends_of("SL-101")
    ((0.0, 1.0), (0.0, 1.0), None)
    """
    if name in SHARES:
        return 0.0, 1.0
    if name in DIFFERENCES:
        return UNIT
    measure, _, part = name.partition(".")
    return _of_claim(AUDIT_TESTS[measure], part) if measure in AUDIT_TESTS else _of_quantity(name)


def _of_claim(claim: AuditTest, part: str) -> Bounds:
    """Give the ends of a score, or of the number or baseline of a test; a score has no least."""
    if claim.kind == "weakest drop":
        return UNIT
    if part == "baseline":
        return _of_quantity(claim.baseline)
    return _of_quantity(claim.number) if part == "number" or claim.kind == "share without" else None


def _of_quantity(name: str) -> Bounds:
    measure, _, quantity = name.partition(".")
    known = quantity_of(measure, quantity)
    if known is None or (math.isinf(known.scale.low) and math.isinf(known.scale.high)):
        return None
    return float(known.scale.low), float(known.scale.high)
