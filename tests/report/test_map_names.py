"""Attention and the recommended map are looked at first; the audit says which that is."""

from dataclasses import replace

import pytest

from sightline.core.results import MapRow
from sightline.report.map_names import MAPS, first_maps
from tests.report.audits import map_row

PLAIN, DIRECTED = (
    map_row("deletion", "passed", 0.5, chosen=True),
    map_row("signed_gradient", "passed", 0.4, chosen=True),
)
WEAK = map_row("gradient", "failed", 0.1, chosen=True)


@pytest.mark.parametrize(
    ("rows", "second"),
    [
        ((), "gradient"),
        ((PLAIN,), "deletion"),
        ((PLAIN, DIRECTED), "signed_gradient"),
        ((map_row("attention", "passed", 0.9, chosen=True), DIRECTED), "signed_gradient"),
        ((WEAK, DIRECTED), "signed_gradient"),
        ((WEAK, replace(DIRECTED, answer="inconclusive")), "gradient"),
        ((replace(PLAIN, chosen=False), map_row("contribution", "passed", 0.9)), "contribution"),
        ((map_row("of another version", "passed", 0.9, chosen=True), PLAIN), "deletion"),
    ],
)
def test_beside_attention_stands_the_map_that_is_recommended(
    rows: tuple[MapRow, ...], second: str
) -> None:
    best = [row.name for row in rows if row.chosen and row.answer == "passed"]
    assert first_maps(MAPS, rows, best) == ("attention", second)
    assert first_maps(MAPS, rows[::-1], best) == ("attention", second)


def test_a_map_that_an_audit_does_not_hold_is_not_looked_at_first() -> None:
    less = [kind for kind in MAPS if kind.quantity != "deletion"]
    assert first_maps(less, (PLAIN,), ["deletion"]) == ("attention", "gradient")
    assert first_maps(MAPS[:1], (PLAIN,)) == ("attention",)
    assert first_maps(MAPS[1:2], ()) == ("gradient",)
    assert first_maps((), (PLAIN,)) == ()


def test_a_chosen_map_that_is_not_recommended_stands_behind_one_that_is() -> None:
    rows = (DIRECTED, PLAIN)
    assert first_maps(MAPS, rows, ["deletion"]) == ("attention", "deletion")
    assert first_maps(MAPS, rows) == ("attention", "deletion")
    assert first_maps(MAPS, rows, ["signed_gradient"]) == ("attention", "signed_gradient")
