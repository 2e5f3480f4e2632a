"""What the command says before an audit whose budget ends before its first look."""

import pytest

from sightline.api.cost_forecast import QuickEstimate
from sightline.cli.dry_run import too_short

LOOK = QuickEstimate(texts=800, seconds=8000, first=(114, 1140.0), few=57)


@pytest.mark.parametrize(
    ("found", "budget", "named"),
    [
        (LOOK, 60, ["60 s", "10 min", "19 min"]),
        (LOOK, 660, ["11 min", "10 min", "19 min"]),
        (LOOK, 900, ["15 min", "19 min"]),
        (QuickEstimate(60, 600, (60, 600.0)), 60, ["60 s", "10 min"]),
    ],
)
def test_a_budget_that_is_too_short_is_named_beside_what_is_enough(found, budget, named) -> None:
    said = too_short(found, budget)
    places = [said.index(one) for one in named]
    assert places == sorted(places)


@pytest.mark.parametrize(
    ("found", "budget"), [(LOOK, 1200), (LOOK, None), (QuickEstimate(800, 8000), 60)]
)
def test_a_budget_that_is_long_enough_or_was_not_given_is_not_named(found, budget) -> None:
    assert not too_short(found, budget)
