"""What runs that are not done would take: by hand, of runs that are made up."""

from sightline.config.run_keys import run_key
from sightline.config.spec_syntax import parse_data, parse_model
from sightline.config.specs import RunSpec
from sightline.experiments.cost_estimate import RunCosts
from sightline.experiments.store import Summary

NEEDLE, VOTES = parse_data("planted:needle(n=100)"), parse_data("planted:vote(n=100)")
MLP, CNN = parse_model("mlp+additive"), parse_model("cnn+additive")
SPECS = [
    RunSpec(data, model, seed=seed)
    for seed in (0, 1)
    for data in (NEEDLE, VOTES)
    for model in (MLP, CNN)
]
KEYS = [run_key(spec) for spec in SPECS]


def made_up(spec: RunSpec, seconds: float, state: str = "done") -> Summary:
    return Summary(run_key(spec), str(spec.data), str(spec.model), spec.seed, state, seconds)  # type: ignore[arg-type]


def test_failed_runs_are_neither_done_nor_something_to_go_by() -> None:
    costs = RunCosts.of((made_up(SPECS[0], 10.0, "failed"),))
    assert costs.count(KEYS) == 0
    assert costs.no_less(SPECS[0], 7.0) == 7.0
    assert RunCosts.of(made_up(spec, 1.0) for spec in SPECS).count(KEYS) == 8


def test_a_model_of_which_no_run_is_done_takes_no_less_than_the_mean_of_its_data() -> None:
    costs = RunCosts.of((made_up(SPECS[0], 10.0), made_up(SPECS[4], 30.0)))
    assert [costs.no_less(SPECS[5], than) for than in (7.0, 25.0)] == [20.0, 25.0]


def test_a_run_takes_what_its_data_and_model_took_or_else_what_is_usual() -> None:
    costs = RunCosts.of((made_up(SPECS[0], 10.0), made_up(SPECS[1], 30.0)))
    # Needle by each model; votes, of which no run is done.
    assert [costs.no_less(spec, 17.0) for spec in SPECS[4:]] == [10.0, 30.0, 17.0, 17.0]


def test_costs_of_some_runs_are_those_of_these_alone() -> None:
    costs = RunCosts.of((made_up(SPECS[0], 10.0), made_up(SPECS[4], 90.0)), KEYS[4:5])
    assert costs.no_less(SPECS[0], 7.0) == 90.0
    assert costs.count(KEYS) == 1
