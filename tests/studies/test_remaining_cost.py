"""What runs that are not done would take: by hand, of runs that are made up."""

from sightline.config.run_keys import run_key
from sightline.config.spec_syntax import parse_data, parse_model
from sightline.config.specs import RunSpec
from sightline.experiments.store import Summary
from sightline.studies.remaining_cost import RunCosts
from sightline.studies.study_definition import grid_of

NEEDLE, VOTES = parse_data("planted:needle(n=100)"), parse_data("planted:vote(n=100)")
MLP, CNN = parse_model("mlp+additive"), parse_model("cnn+additive")
SPECS = [
    RunSpec(data, model, seed=seed)
    for seed in (0, 1)
    for data in (NEEDLE, VOTES)
    for model in (MLP, CNN)
]
GRID = grid_of("costs", ("number",), (((str(number),), spec) for number, spec in enumerate(SPECS)))


def made_up(spec: RunSpec, seconds: float, state: str = "done") -> Summary:
    return Summary(run_key(spec), str(spec.data), str(spec.model), spec.seed, state, seconds)  # type: ignore[arg-type]


def test_failed_runs_are_neither_done_nor_something_to_go_by() -> None:
    costs = RunCosts.of((made_up(SPECS[0], 10.0, "failed"),))
    assert costs.count(GRID) == 0
    assert set(costs.each(SPECS, usual=7.0).values()) == {7.0}
    costs = RunCosts.of(made_up(spec, 1.0) for spec in SPECS)
    assert (costs.count(GRID), costs.each(SPECS, usual=7.0)) == (8, {})


def test_a_model_of_which_no_run_is_done_takes_the_mean_of_its_data() -> None:
    costs = RunCosts.of((made_up(SPECS[0], 10.0), made_up(SPECS[4], 30.0)))
    assert costs.each(SPECS[5:6], usual=7.0) == {run_key(SPECS[5]): 20.0}


def test_each_takes_what_its_data_took_or_else_what_is_usual() -> None:
    costs = RunCosts.of((made_up(SPECS[0], 10.0), made_up(SPECS[1], 30.0)))
    # Needle with seed 1 by each model; votes four times, of which no run is done.
    seconds = {2: 7.0, 3: 7.0, 4: 10.0, 5: 30.0, 6: 7.0, 7: 7.0}
    assert costs.each(SPECS, usual=7.0) == {
        run_key(SPECS[number]): each for number, each in seconds.items()
    }


def test_costs_of_a_grid_are_those_of_its_runs_alone() -> None:
    few = grid_of("few", ("number",), [(("4",), SPECS[4])])
    costs = RunCosts.of((made_up(SPECS[0], 10.0), made_up(SPECS[4], 90.0)), few)
    assert costs.each(SPECS[:1], usual=7.0) == {run_key(SPECS[0]): 90.0}
    assert costs.count(GRID) == 1
