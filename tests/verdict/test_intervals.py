"""How often the intervals of scores hold what is true of the population: simulated audits of 100
texts.
"""

from functools import cache

import numpy as np
import pytest

from sightline.core.results import Estimate
from sightline.stats.intervals import LEVEL
from tests.reference.audited import (
    CHANCE,
    LEVEL_OF_CLASS,
    MOVED,
    NOISE,
    SPREAD,
    STEPS,
    Simulated,
    cut,
    flips,
    truth_of,
)
from tests.sampling import slow_but

AUDITS, TEXTS = 200, 100
SCORES = (
    "carried",
    "own",
    "flipped",
    "present",
    "right",
    "within",
    "removed",
    "carried of 1",
    "own of 1",
    "present of 1",
)
SHORT = {"present": 0.02, "present of 1": 0.05, "within": 0.01}
"""How much less often intervals hold a score near its end in 100 texts, as 2,000 audits counted."""


def promised(score: str) -> float:
    """Three standard errors of so many audits below what an interval promises; those of a class
    promise more.
    """
    level = LEVEL_OF_CLASS if " of " in score else LEVEL
    return level - SHORT.get(score, 0.0) - 3 * np.sqrt(level * (1 - level) / AUDITS)


@cache
def audits(copies: bool) -> list[dict[str, Estimate]]:
    return [Simulated(seed, TEXTS, copies, of=(1,)).scores() for seed in range(AUDITS)]


@pytest.mark.parametrize("copies", slow_but({1}, [False, True]))
@pytest.mark.parametrize("score", SCORES)
def test_an_interval_holds_the_score_of_the_population(score: str, copies: bool) -> None:
    found, truth = [one[score] for one in audits(copies)], truth_of(score)
    known = [one for one in found if not np.isnan(one.low)]
    assert len(known) > 0.99 * AUDITS
    assert np.mean([one.low <= truth <= one.high for one in known]) >= promised(score)
    middle = np.mean([one.value for one in known])
    error = np.std([one.value for one in known]) / np.sqrt(len(known))
    assert middle == pytest.approx(
        truth, abs=4 * error + 0.01
    )  # a ratio of sums is off by the order of 1/n


@pytest.mark.slow
def test_intervals_of_copies_are_wider_and_those_of_more_texts_narrower() -> None:
    larger = [Simulated(seed, 3 * TEXTS, of=()).scores() for seed in range(20)]
    for score in ("carried", "own", "right", "removed"):
        alone, copied = (
            np.mean([one[score].high - one[score].low for one in audits(copies)])
            for copies in (False, True)
        )
        more = np.mean([one[score].high - one[score].low for one in larger])
        assert more < 0.8 * alone < alone < copied


def test_the_population_is_what_it_is_said_to_be() -> None:
    drawn = np.random.default_rng(0).normal(0, SPREAD, 200_000)
    for mean in (*MOVED, CHANCE):
        assert np.clip(mean + drawn, -1, 1).mean() == pytest.approx(
            cut(mean), abs=4 * SPREAD / np.sqrt(200_000)
        )
        held = (mean + drawn[:, None] + STEPS > 0).mean()
        assert held == pytest.approx(flips(mean), abs=4 * 0.5 / np.sqrt(200_000))
    assert NOISE < SPREAD
