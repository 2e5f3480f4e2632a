"""A study in a store: what is left is run, what is done stays, and a run that fails leaves no
table.
"""

from dataclasses import replace
from pathlib import Path

import pytest

from sightline.config.spec_syntax import parse_data, parse_model
from sightline.config.specs import FitSpec, RunSpec
from sightline.experiments.executors.local import Serial
from sightline.experiments.store import Store
from sightline.studies.calibration import random_attention, scenarios, threshold_calibration
from sightline.studies.study_definition import (
    Params,
    Study,
    finished_runs,
    gate,
    grid_of,
)
from tests.studies.runs import run_all

RUN = RunSpec(
    parse_data("planted:needle(n=120,length=6)"),
    parse_model("mlp(hidden=4)"),
    FitSpec(epochs=1),
    companions=(),
    measures=("need",),
)
BROKEN = replace(
    RUN, data=parse_data("planted:needle(n=120,length=6)", max_tokens=5)
)  # found out when it is read
STUDIES = (random_attention.STUDY, threshold_calibration.STUDY, scenarios.STUDY)


@pytest.mark.parametrize("study", STUDIES)
def test_every_study_is_a_grid_of_different_runs(study: Study) -> None:
    grid = study.grid()
    assert len(set(grid.keys)) == len(set(grid.labels)) == len(grid.specs) == len(grid.labels)
    assert {len(labels) for labels in grid.labels} == {len(grid.axes)}


def test_what_is_done_is_not_done_again(tmp_path: Path) -> None:
    grid = grid_of("s", ("seed",), (((str(seed),), replace(RUN, seed=seed)) for seed in range(3)))
    store = Store(tmp_path / "store")
    assert finished_runs(grid, store).specs == ()
    run_all(grid.specs[:2], store)
    done = finished_runs(grid, store)
    assert (done.labels, done.specs, done.axes) == (grid.labels[:2], grid.specs[:2], grid.axes)


def test_a_run_that_failed_is_left_to_do(tmp_path: Path) -> None:
    grid = grid_of("s", ("data",), ((("broken",), BROKEN), (("whole",), RUN)))
    store = Store(tmp_path / "store")
    endings = [done.ending for done in Serial().run(grid.specs, store, again=True)]
    assert endings == ["failed", "done"]
    assert finished_runs(grid, store).specs == (RUN,)


def test_a_gate_is_plain() -> None:
    assert gate("a", 1, 2, "< 1", holds=False) == {
        "name": "a",
        "count": 1,
        "of": 2,
        "limit": "< 1",
        "holds": False,
    }


def test_a_smoke_of_a_study_has_tiny_models_and_the_ends_of_a_sweep() -> None:
    small, whole = Params(scale="smoke"), Params()
    assert [*small.swept((1, 2, 3))] == [1, 3]
    assert [*small.swept((1,))] == [1]
    assert [*whole.swept((1, 2, 3))] == [1, 2, 3]
    run = replace(
        RUN, model=parse_model("bilstm(hidden=128,layers=2)+additive"), fit=FitSpec(epochs=9)
    )
    assert whole.of(run) == run
    shrunk = small.of(run)
    assert str(shrunk.model.encoder) == "bilstm(hidden=4,layers=2)"
    assert (shrunk.model.embedding, shrunk.fit.epochs, shrunk.measures) == (8, 2, run.measures)
    assert small.of(replace(run, fit=FitSpec(epochs=0))).fit.epochs == 0
    started = replace(run.model, vectors="words.txt", vectors_digest="ab", embedding=300)
    assert small.of(replace(run, model=started)) == shrunk
    assert replace(small, vectors=Path("nowhere")).of(run) == shrunk
