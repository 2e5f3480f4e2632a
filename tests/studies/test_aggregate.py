"""What is said of several seeds: differences within each, of as many texts, and never farther than
can be.
"""

import pytest

from sightline.studies.aggregate import AggregateLine, RunNumbers, averaged, gain, shortfall
from tests.studies.saying import read

USUAL, OTHER = "mlp", "mlp+uniform"
TAUS = ((1.0, -1.0), (0.9, -0.95), (0.1, 0.0))
"""Of the usual model and of the other one, by seed."""


def runs(bounds: tuple[float, float] | None) -> list[RunNumbers]:
    return [
        read("tau", model, seed, value, bounds)
        for seed, pair in enumerate(TAUS)
        for model, value in zip((USUAL, OTHER), pair, strict=True)
    ]


def lost(bounds: tuple[float, float] | None) -> AggregateLine:
    (line,) = shortfall("tau", USUAL, "lost")(runs(bounds))
    return line


def test_a_difference_of_two_numbers_over_seeds_stays_as_near_as_their_ends() -> None:
    line = lost((-1.0, 1.0))
    value = line.found.value
    assert value.value == pytest.approx((2.0 + 1.85 + 0.1) / 3)
    assert value.high == 2.0
    assert line.found.bounds == (-2.0, 2.0)
    assert lost(None).found.value.high > 2
    assert lost(None).found.value.low == value.low
    (*_, line) = gain("tau", lambda _: USUAL, "gained")(runs((-1.0, 1.0)))
    assert (line.quantity, line.found.value.low) == ("gained", -2.0)


def test_a_difference_is_of_the_texts_that_both_models_have() -> None:
    few = read("tau", OTHER, 0, 0.5, None, texts=4)
    (line,) = shortfall("tau", USUAL, "lost")([read("tau", USUAL, 0, 0.7), few])
    assert line.found.value.n == 4


@pytest.mark.parametrize("unknown", [0, 1])
def test_a_seed_without_a_value_is_not_counted(unknown: int) -> None:
    values = [0.5, 0.6]
    values[unknown] = float("nan")
    (line,) = averaged([read("tau", USUAL, seed, value) for seed, value in enumerate(values)])
    assert line.seeds == 1
    assert line.found.value.value == values[1 - unknown]
