"""How often Gumbel-softmax raises τ, and how often another seed does."""

import math
from collections.abc import Sequence
from functools import partial

import pytest

from sightline.studies.aggregate import AggregateLine, RunNumbers
from sightline.studies.papers.gumbel_vs_seed import (
    RAISED,
    RAISED_BY_SEED,
    WITHOUT,
    count_rises,
    rises_beyond_seeds,
)
from tests.studies.saying import read

tau = partial(read, "τ")


def lines_of(runs: Sequence[RunNumbers]) -> dict[str, AggregateLine]:
    """Give the lines of all models with dot attention."""
    return {
        one.quantity: one
        for one in count_rises("τ")(runs)
        if (one.corpus, one.model) == ("all", "dot")
    }


def record(line: AggregateLine) -> tuple[float, int, int]:
    return line.found.value.value, line.found.value.n, line.seeds


def test_what_gumbel_softmax_raises_is_asked_of_seeds_that_have_both() -> None:
    plain = [tau("mlp+dot", seed, value) for seed, value in enumerate((0.5, 0.9, 0.9))]
    line = lines_of([*plain, tau("mlp+dot+gumbel", 0, 0.5)])[RAISED]
    assert record(line) == (1, 1, 1)  # the mean of the plain ones is .77
    line = lines_of([*plain, tau("mlp+dot+gumbel", 0, 0.5), tau("mlp+dot+gumbel", 2, 0.8)])[RAISED]
    assert record(line) == (0, 1, 2)  # lower by .05 in the mean


def test_a_model_without_tau_under_any_seed_is_neither_higher_nor_lower() -> None:
    undefined = [tau("mlp+dot", 0, math.nan), tau("mlp+dot+gumbel", 0, 0.5)]
    assert set(lines_of(undefined)) == {WITHOUT}
    known = [tau("bilstm+dot", 1, 0.5), tau("bilstm+dot+gumbel", 1, 0.5)]
    both = lines_of([*undefined, *known])
    assert record(both[RAISED]) == record(both[RAISED_BY_SEED]) == (1, 1, 1)
    assert record(both[WITHOUT]) == (0.5, 2, 2)
    assert both[RAISED_BY_SEED].found.value.method == "Wilson over models: 1"
    assert set(lines_of(known)) == {RAISED, RAISED_BY_SEED}


def test_the_floor_is_how_often_another_seed_of_the_plain_model_is_higher() -> None:
    plain = [tau("mlp+dot", seed, value) for seed, value in enumerate((0.5, 0.6, 0.9))]
    others = [tau("mlp+dot+gumbel", seed, value) for seed, value in enumerate((0.4, 0.7, 0.89))]
    line = lines_of([*plain, *others])[RAISED_BY_SEED]
    assert record(line) == (pytest.approx(2 / 3), 3, 3)  # lower by .1, higher by .1, lower by .01
    assert line.found.baseline is not None
    assert (line.found.baseline.value, line.found.baseline.n) == (0.5, 6)  # of each pair one way


def test_seeds_that_say_nearly_the_same_are_unchanged_both_ways() -> None:
    plain = [tau("mlp+dot", seed, value) for seed, value in enumerate((0.5, 0.51))]
    found = lines_of([*plain, tau("mlp+dot+gumbel", 0, 0.5)])[RAISED_BY_SEED].found
    assert found.baseline is not None
    assert (found.baseline.value, found.baseline.n) == (1, 2)
    alone = lines_of([plain[0], tau("mlp+dot+gumbel", 0, 0.5)])[RAISED_BY_SEED].found
    assert alone.baseline is None  # of one seed nothing is known of another


def test_the_rise_less_that_by_another_seed_has_an_interval_of_both() -> None:
    """The chance level is counted on the same models, and is as uncertain as the rise."""
    values = {"bilstm+dot": (0.5, 0.6, 0.9), "mlp+dot": (0.5, 0.5, 0.5), "cnn+dot": (0.1, 0.2, 0.3)}
    runs = [
        tau(f"{model}{change}", seed, value + more)
        for model, each in values.items()
        for seed, value in enumerate(each)
        for change, more in (("", 0.0), ("+gumbel", 0.1 - 0.15 * (seed > 1) * (model != "mlp+dot")))
    ]
    runs += [tau("transformer+dot", 0, math.nan), tau("transformer+dot+gumbel", 0, 0.5)]
    both = lines_of(runs)[RAISED_BY_SEED].found
    assert both.baseline is not None
    found = rises_beyond_seeds(runs, "τ")
    assert found.value == pytest.approx(both.value.value - both.baseline.value)
    assert found.n == 3  # models
    shifted = both.value.low - both.baseline.value
    assert found.low < found.value < found.high
    assert abs(found.low - shifted) > 0.01
    as_seeds = [tau(f"{model}+dot{more}", seed, 0.1 * seed)
                for model in ("mlp", "cnn") for more in ("", "+gumbel") for seed in (0, 1)]  # fmt: skip
    same = rises_beyond_seeds(as_seeds, "τ")
    assert same.value == pytest.approx(0.5)
    assert math.isnan(rises_beyond_seeds([], "τ").value)
