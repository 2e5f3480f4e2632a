"""Between which ends a number lies, whatever it is called: so that a mean of shares never leaves 0
and 1.
"""

import math

import pytest

from sightline.experiments.tabulate import choosable
from sightline.verdict.catalogue import AUDIT_TESTS
from sightline.verdict.number_bounds import ends_of


@pytest.mark.parametrize(
    ("name", "ends"),
    [
        ("accuracy", (0.0, 1.0)),
        ("learned.guessing", (0.0, 1.0)),
        ("learned.above", (-1.0, 1.0)),
        ("need.uniform.accuracy_drop", (-1.0, 1.0)),
        ("SL-001", (-1.0, 1.0)),
        ("SL-001.number", (-1.0, 1.0)),
        ("SL-101.number", (0.0, 1.0)),
        ("SL-101.baseline", (0.0, 1.0)),
        ("SL-107.baseline", (0.0, 1.0)),
        ("SL-201", (0.0, 1.0)),
        ("SL-201.number", (0.0, 1.0)),
        ("SL-201.baseline", None),
        ("SL-101", (-math.inf, 1.0)),
        ("SL-301", None),
        ("SL-308", (0.0, 1.0)),
        ("SL-301.number", None),
        ("SL-303.number", None),
        ("maps.attention.carried", None),
        ("agreement.tau.gradient", (-1.0, 1.0)),
        ("information.flatness", (1.0, math.inf)),
        ("input_information.share", (-math.inf, 1.0)),
    ],
)
def test_a_number_has_the_ends_of_what_it_is(name: str, ends: tuple[float, float] | None) -> None:
    assert name in choosable()
    assert ends_of(name) == ends


def test_a_number_of_a_finding_has_the_ends_that_its_quantity_has_under_its_own_name() -> None:
    contrasts = [
        claim for claim in AUDIT_TESTS.values() if claim.kind in ("contrast", "two operators")
    ]
    assert contrasts
    for claim in contrasts:
        assert ends_of(f"{claim.code}.number") == ends_of(claim.number)
        assert ends_of(f"{claim.code}.baseline") == ends_of(claim.baseline)
