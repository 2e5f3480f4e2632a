"""What the command says before an audit whose budget ends before its first look."""

import pytest

from sightline.cli.dry_run import SURELY, too_short

LOOK, FEW = (114, 1140.0), 57
"""A first look of 19 minutes, of which the first texts take 9.5."""


@pytest.mark.parametrize(
    ("few", "budget", "named"),
    [
        (FEW, 60, ["1 min", "ends", "10 min", "14 min", "19 min", "28 min"]),
        (FEW, 660, ["11 min", "may end", "10 min", "14 min", "19 min", "28 min"]),
        (FEW, 900, ["15 min", "together", "19 min", "28 min"]),
        (0, 60, ["1 min", "ends", "19 min", "28 min"]),
    ],
)
def test_a_budget_that_is_too_short_is_named_beside_what_is_enough(few, budget, named) -> None:
    said = too_short(LOOK, few, budget)
    assert "one of" not in said  # read as a text
    at = 0
    for one in named:
        assert one in said[at:]
        at = said.index(one, at) + len(one)


@pytest.mark.parametrize(("first", "budget"), [(LOOK, 1200), (LOOK, None), (None, 60)])
def test_a_budget_that_is_long_enough_or_was_not_given_is_not_named(first, budget) -> None:
    assert not too_short(first, FEW, budget)


def test_what_is_surely_enough_is_not_called_short_of_any_verdict() -> None:
    least = LOOK[1] * FEW / LOOK[0]
    assert "any" in too_short(LOOK, FEW, SURELY * least - 1)
    assert "any" not in too_short(LOOK, FEW, SURELY * least)
