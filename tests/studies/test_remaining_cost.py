"""What runs that are not done would take: by hand, of runs that are made up."""

import pytest

from sightline.config.run_keys import run_key
from sightline.config.spec_syntax import parse_data, parse_model
from sightline.config.specs import RunSpec
from sightline.experiments.store import Summary
from sightline.studies.remaining_cost import Costs
from sightline.studies.study_definition import grid_of

NEEDLE, VOTES = parse_data("planted:needle(n=100)"), parse_data("planted:vote(n=100)")
MLP, CNN = parse_model("mlp+additive"), parse_model("cnn+additive")
CELLS = [
    RunSpec(data, model, seed=seed)
    for seed in (0, 1)
    for data in (NEEDLE, VOTES)
    for model in (MLP, CNN)
]
GRID = grid_of("costs", ("number",), (((str(number),), cell) for number, cell in enumerate(CELLS)))


def made_up(cell: RunSpec, seconds: float, state: str = "done") -> Summary:
    return Summary(run_key(cell), str(cell.data), str(cell.model), cell.seed, state, seconds)  # type: ignore[arg-type]


def test_runs_take_what_others_of_their_data_and_model_took_or_else_of_their_data_or_all() -> None:
    costs = Costs.of((made_up(CELLS[0], 10.0), made_up(CELLS[1], 30.0)))
    assert costs.count(GRID) == 2
    # Of the second seed: needle by each model, 10 and 30. Of votes nothing is known: the mean of
    # all, four times.
    assert costs.left(GRID) == pytest.approx(10 + 30 + 4 * 20)
    costs = Costs.of(
        (
            *(made_up(CELLS[number], 10.0 + 20 * number) for number in (0, 1)),
            made_up(CELLS[2], 80.0),
        )
    )
    # Votes by the CNN, twice: as long as votes by the MLP. The MLP of the second seed: as its
    # first.
    assert costs.left(GRID) == pytest.approx(10 + 30 + 80 + 2 * 80)
    costs = Costs.of(made_up(cell, 30.0 if cell.model == CNN else 10.0) for cell in CELLS[:5])
    assert costs.left(GRID) == pytest.approx(
        30 + 10 + 30
    )  # needle by the CNN, votes by both: all of the second seed


def test_failed_runs_are_neither_done_nor_something_to_go_by() -> None:
    costs = Costs.of((made_up(CELLS[0], 10.0, "failed"),))
    assert costs.count(GRID) == 0
    assert costs.left(GRID) is None
    costs = Costs.of(made_up(cell, 1.0) for cell in CELLS)
    assert (costs.count(GRID), costs.left(GRID)) == (8, 0)


def test_each_takes_what_its_data_took_or_else_what_is_usual() -> None:
    costs = Costs.of((made_up(CELLS[0], 10.0), made_up(CELLS[1], 30.0)))
    # Needle with seed 1 by each model; votes four times, of which no run is done.
    seconds = {2: 7.0, 3: 7.0, 4: 10.0, 5: 30.0, 6: 7.0, 7: 7.0}
    assert costs.each(CELLS, usual=7.0) == {
        run_key(CELLS[number]): each for number, each in seconds.items()
    }


def test_costs_of_a_grid_are_those_of_its_runs_alone() -> None:
    few = grid_of("few", ("number",), [(("4",), CELLS[4])])
    costs = Costs.of((made_up(CELLS[0], 10.0), made_up(CELLS[4], 90.0)), few)
    assert costs.each(CELLS[:1], usual=7.0) == {run_key(CELLS[0]): 90.0}
    assert costs.count(GRID) == 1
