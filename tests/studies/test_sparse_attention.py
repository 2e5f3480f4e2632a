"""The study of sparse attention: its runs, and a table that holds what its audits say of each
λ.
"""

from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest

from sightline.config.run_keys import run_key, training_key
from sightline.config.spec_syntax import parse_data
from sightline.config.specs import DataSpec
from sightline.core.results import Estimate
from sightline.experiments.grid import pin
from sightline.experiments.run_in_store import run_stored
from sightline.experiments.store import Store
from sightline.studies.papers import sparse_attention, study_models
from sightline.studies.run_counts import table
from sightline.studies.study_definition import Params, grid_of

PLANTED = parse_data("planted:needle(n=120,length=8,strength=0.9)")


@pytest.fixture
def planted(monkeypatch: pytest.MonkeyPatch) -> None:
    def data(folder: Path, corpus: str) -> DataSpec:
        return PLANTED

    for study in (sparse_attention, study_models):
        monkeypatch.setattr(study, "data_of", data)


def test_softmax_models_are_those_of_the_study_of_trained_ones(
    planted: None, tmp_path: Path
) -> None:
    grid = sparse_attention.STUDY.grid(Params(tmp_path))
    assert len(grid.specs) == 3 * 4 + 3 * (4 + 7) + 7
    theirs = dict(
        zip(
            study_models.STUDY.grid(Params(tmp_path)).labels,
            study_models.STUDY.grid(Params(tmp_path)).specs,
            strict=True,
        )
    )
    ours = dict(zip(grid.labels, grid.specs, strict=True))
    same = theirs["sst", "meister2021", "transformer+dot", "1"]
    assert training_key(ours["sst", "transformer+dot+softmax", "1"]) == training_key(same)
    assert {run.limit for (corpus, _, _), run in ours.items() if corpus == "imdb"} == {1000}


def test_what_moves_a_state_is_asked_of_four_models_and_not_along_lambda(
    planted: None, tmp_path: Path
) -> None:
    grid = sparse_attention.STUDY.grid(Params(tmp_path))
    for (corpus, model, _), run in zip(grid.labels, grid.specs, strict=True):
        assert run.measures == (
            ("state_agreement",) if "sparsegen" in model else ("mixing", "state_agreement")
        )
        assert run.companions == (() if "sparsegen" in model else ("untrained",))
        assert (run.fit.epochs, run.fit.patience) == ((4, 4) if corpus == "imdb" else (60, 10))
    tables = [
        sparse_attention.run_spec(tmp_path, "imdb", f"transformer+dot+{name}", 0)
        for name in ("softmax", "sparsegen(lambda=0.0)")
    ]
    assert [run.fit.epochs for run in tables] == [
        60,
        60,
    ]  # at a tenth of the rate they would not be done


def test_the_table_has_every_lambda_and_what_goes_with_it(planted: None, tmp_path: Path) -> None:
    store, specs = Store(tmp_path / "store"), []
    for setting in (-30.0, 0.0, 0.9):
        run = sparse_attention.run_spec(tmp_path, "sst", sparse_attention.SWEEP[setting], 0)
        model = replace(
            run.model, encoder=replace(run.model.encoder, options=(("hidden", 4),)), embedding=8
        )
        small = pin(replace(run, model=model, fit=replace(run.fit, epochs=2, patience=2), limit=12))
        assert run_stored(small, store) == "done", store.summary(run_key(small))
        specs.append((("sst", sparse_attention.SWEEP[setting], "0"), small))
    result = table(
        sparse_attention.STUDY, grid_of("sparse", ("corpus", "model", "seed"), specs), store
    )
    (sweep,) = result["sweeps"]
    along = sweep["along"]["entropy.gradient_through"]
    assert [point["setting"] for point in along["points"]] == [-30, 0, 0.9]
    for (_, run), point, mean in zip(specs, along["points"], result["means"], strict=True):
        values = store.audit(run_key(run)).measurements["state_agreement"].values
        assert point["value"]["value"] == pytest.approx(
            np.nanmean(values["entropy.gradient_through"])
        )
        assert point["support"]["value"] == pytest.approx(np.mean(values["support"]))
        assert mean["values"]["tau.deletion"]["value"] == pytest.approx(
            np.nanmean(values["tau.deletion"])
        )
    assert -1 <= along["with_lambda"]["value"] <= 1
    assert result["gates"] == []


def test_a_seed_that_lacks_a_lambda_says_nothing_of_what_goes_with_it() -> None:
    def row(setting: float, seed: str, tau: float) -> dict[str, object]:
        values = dict.fromkeys(
            (*sparse_attention.ALONG, "support"), asdict(Estimate(tau, tau, tau, 9, ""))
        )
        accuracy = asdict(Estimate(1, 1, 1, 9, ""))
        return {
            "corpus": "sst",
            "model": sparse_attention.SWEEP[setting],
            "seed": seed,
            "accuracy": accuracy,
            "values": values,
        }

    def swept(seed: str, settings: tuple[float, ...], tau: float) -> dict[str, object]:
        along = dict.fromkeys(sparse_attention.ALONG, asdict(Estimate(tau, tau, tau, 9, "")))
        return {"run": seed, "corpus": "sst", "seed": seed, "settings": settings, **along}

    rows = [row(0.0, "0", 0.2), row(0.0, "1", 0.4), row(0.9, "0", 0.6), row(-3.0, "0", 0.1)]
    every = (-3.0, 0.0, 0.9)
    result = sparse_attention.STUDY.summary(
        {"rows": rows, "joint": [swept("0", every, 0.5), swept("1", (0.0,), -1.0)]}
    )
    (sweep,) = result["sweeps"]
    along = sweep["along"]["tau.deletion"]
    assert along["with_lambda"]["value"] == 0.5
    assert [(one["setting"], one["seeds"]) for one in along["points"]] == [
        (-3.0, 1),
        (0.0, 2),
        (0.9, 1),
    ]
    assert along["points"][1]["value"]["value"] == pytest.approx(0.3)


def test_intervals_over_seeds_stay_where_the_numbers_can_be() -> None:
    def row(tau: float, support: float, own: float) -> dict[str, object]:
        values = {
            "tau.deletion": tau,
            "support": support,
            "mixing.own": own,
            "entropy.state_gradient": own,
        }
        each = {
            name: asdict(Estimate(value, value, value, 9, "")) for name, value in values.items()
        }
        return {
            "corpus": "sst",
            "model": "transformer+dot",
            "values": each,
            "accuracy": asdict(Estimate(1, 1, 1, 9, "")),
        }

    found = sparse_attention._mean([row(0.6, 20.0, 0.1), row(0.95, 40.0, 0.7)])["values"]
    assert found["tau.deletion"]["high"] == 1
    for share in ("mixing.own", "entropy.state_gradient"):
        assert (found[share]["low"], found[share]["high"]) == (0, 1)
    assert found["support"]["low"] == 0
    assert found["support"]["high"] > 40
