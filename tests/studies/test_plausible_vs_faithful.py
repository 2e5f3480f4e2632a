"""The study of maps beside marked words: its runs, and a table of small models that holds what
their audits say.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sightline.config.run_keys import run_key
from sightline.config.spec_syntax import parse_data
from sightline.config.specs import RunSpec
from sightline.config.word_maps import RIVALS, SIGNED_RIVALS
from sightline.experiments.grid import pin
from sightline.experiments.run_in_store import run_stored
from sightline.experiments.store import Store
from sightline.studies.calibration import plausible_vs_faithful
from sightline.studies.run_counts import table
from sightline.studies.study_definition import Params, grid_of
from tests.studies.runs import read_instead

PLANTED = parse_data("planted:needle(n=200,length=8,strength=0.9)")


@pytest.fixture
def planted(monkeypatch: pytest.MonkeyPatch) -> None:
    read_instead(monkeypatch, PLANTED, plausible_vs_faithful)


def small(run: RunSpec) -> RunSpec:
    model = replace(
        run.model, encoder=replace(run.model.encoder, options=(("hidden", 4),)), embedding=8
    )
    return pin(replace(run, model=model, fit=replace(run.fit, epochs=20, learning_rate=0.02)))


def test_cheap_models_come_first_and_every_seed_has_its_runs(planted: None, tmp_path: Path) -> None:
    grid = plausible_vs_faithful.STUDY.grid(Params(tmp_path, 2, limit=40))
    assert grid.labels == tuple(
        (model, seed) for model in plausible_vs_faithful.MODELS for seed in "01"
    )
    assert all(run.measures == ("transplant", "rationale") for run in map(pin, grid.specs))
    assert len(plausible_vs_faithful.STUDY.grid(Params(tmp_path)).specs) == 6


@pytest.mark.slow
def test_the_table_averages_over_seeds_what_each_audit_says(planted: None, tmp_path: Path) -> None:
    whole, store = (
        plausible_vs_faithful.STUDY.grid(Params(tmp_path, 2, limit=40)),
        Store(tmp_path / "store"),
    )
    specs = [(labels, small(run)) for labels, run in zip(whole.labels, whole.specs, strict=True)][
        :2
    ]
    for _, run in specs:
        assert run_stored(run, store) == "done", store.summary(run_key(run))
    result = table(plausible_vs_faithful.STUDY, grid_of(whole.name, whole.axes, specs), store)
    assert result["gates"] == []
    (model,) = result["models"]
    assert (model["model"], model["seeds"]) == (plausible_vs_faithful.MODELS[0], 2)
    audits = [store.audit(run_key(run)) for _, run in specs]
    known = [name for name in (*RIVALS, *SIGNED_RIVALS) if "given" not in name]
    assert [one["name"] for one in model["maps"]] == known
    for one in model["maps"]:
        for kind in ("auprc", "auprc_chance", "f1", "f1_chance", "iou", "iou_chance"):
            each = [audit.estimates[f"rationale.{kind}.{one['name']}"].value for audit in audits]
            assert one[kind]["value"] == pytest.approx(np.mean(each))
        rows = [next(row for row in audit.maps if row.name == one["name"]) for audit in audits]
        assert one["carried"]["value"] == pytest.approx(
            np.mean([row.carried.value for row in rows])
        )
        assert one["answers"] == [row.answer for row in rows]
