"""The models of Meister et al. 2021: what is measured of them, and along λ."""

from pathlib import Path

import pytest

from sightline.config.run_keys import training_key
from sightline.config.spec_syntax import parse_data
from sightline.studies.papers import meister2021, study_models
from sightline.studies.study_definition import Params
from tests.studies.runs import read_instead

PLANTED = parse_data("planted:needle(n=120,length=8,strength=0.9)")


@pytest.fixture
def planted(monkeypatch: pytest.MonkeyPatch) -> None:
    read_instead(monkeypatch, PLANTED, meister2021, study_models)


def test_softmax_models_are_those_of_the_study_of_trained_ones(
    planted: None, tmp_path: Path
) -> None:
    grid = study_models.STUDY.grid(Params(tmp_path))
    theirs = dict(zip(grid.labels, grid.specs, strict=True))
    ours = dict(meister2021._pairs(Params(tmp_path), "sst", 1))
    assert [*ours] == [
        f"{pair}{projection}" for pair in meister2021.PAIRS for projection in ("", "+sparsemax")
    ]
    same = theirs["sst", "meister2021", "transformer+dot", "1"]
    assert training_key(ours["transformer+dot"]) == training_key(same)


def test_what_moves_a_state_is_asked_of_four_models_and_not_along_lambda(
    planted: None, tmp_path: Path
) -> None:
    runs = [*meister2021._every(Params(tmp_path), "sst", 0)]
    assert len(runs) == 4 + 2 * len(meister2021.LAMBDAS)
    for model, run in runs:
        swept = "sparsegen" in model
        assert run.measures == (("state_agreement",) if swept else ("mixing", "state_agreement"))
        assert run.companions == (() if swept else ("untrained",))
