"""The study of searches against the exact value: whose models it takes, and a table of a small
one.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sightline.config.run_keys import run_key, training_key
from sightline.config.spec_syntax import parse_data
from sightline.core.results import Measurement
from sightline.experiments.grid import pin
from sightline.experiments.run_in_store import run_stored
from sightline.experiments.store import Store
from sightline.studies.calibration import search_shortfall
from sightline.studies.papers import study_models
from sightline.studies.run_counts import table
from sightline.studies.study_definition import Params, grid_of
from tests.numerics.searching import farthest_of_pairs
from tests.studies.runs import read_instead

PLANTED = parse_data("planted:needle(n=120,length=8,strength=0.9)")


@pytest.fixture
def planted(monkeypatch: pytest.MonkeyPatch) -> None:
    read_instead(monkeypatch, PLANTED, search_shortfall, study_models)


def test_models_are_those_of_the_study_of_trained_ones(planted: None, tmp_path: Path) -> None:
    grid = search_shortfall.STUDY.grid(Params(tmp_path))
    assert grid.labels == (("sst", "0"), ("sst", "1"), ("sst", "2"), ("imdb", "0"))
    theirs = dict(
        zip(
            study_models.STUDY.grid(Params(tmp_path)).labels,
            study_models.STUDY.grid(Params(tmp_path)).specs,
            strict=True,
        )
    )
    for (corpus, seed), run in zip(grid.labels, grid.specs, strict=True):
        assert training_key(run) == training_key(
            theirs[corpus, "jain2019", "bilstm+additive", seed]
        )
        assert run.limit == (1000 if corpus == "imdb" else None)
    assert search_shortfall.STUDY.grid(Params(tmp_path, 1)).labels == (("sst", "0"), ("imdb", "0"))


def test_the_table_holds_each_search_against_the_exact_value(planted: None, tmp_path: Path) -> None:
    whole = search_shortfall.run_spec(tmp_path, "sst", 0)
    model = replace(
        whole.model, encoder=replace(whole.model.encoder, options=(("hidden", 4),)), embedding=8
    )
    run = pin(
        replace(whole, model=model, fit=replace(whole.fit, epochs=3, learning_rate=0.05), limit=12)
    )
    store = Store(tmp_path / "store")
    assert run_stored(run, store) == "done", store.summary(run_key(run))
    result = table(
        search_shortfall.STUDY,
        grid_of("farthest", ("corpus", "seed"), [(("sst", "0"), run)]),
        store,
    )
    (row,) = result["rows"]
    assert row["texts"] == 12
    assert all(one["holds"] for one in result["gates"])
    for one in (row["exact"], row["released"], *row["searches"].values()):
        assert sum(one["histogram"]) == 12
    audit = store.audit(run_key(run))
    reach, outputs = (audit.measurements[name] for name in ("reach", "outputs"))
    assert isinstance(reach, Measurement)
    assert isinstance(outputs, Measurement)
    pairs = zip(reach.values["evidence"].rows(), outputs.values["attention"].rows(), strict=True)
    brute = [farthest_of_pairs(z, a, 0.01) for z, a in pairs]
    assert search_shortfall.exact_of(audit) == pytest.approx(brute, abs=1e-9)
    assert row["exact"]["mean"]["value"] == pytest.approx(np.mean(brute))
    assert row["searches"]["published"]["short"]["value"] == pytest.approx(
        np.mean(brute) - row["searches"]["published"]["mean"]["value"]
    )


def test_a_search_above_the_exact_value_breaks_the_gate() -> None:
    found, exact = np.array([0.1, 0.5, 0.3]), np.array([0.1, 0.4, 0.5])
    held = search_shortfall._held(found, exact, 0)
    assert held["above"] == 1
    assert (held["most_above"], held["most_short"]) == pytest.approx((0.1, 0.2))
    assert held["much_too_low"]["value"] == pytest.approx(1 / 3)
    rows = [
        {
            "corpus": "sst",
            "seed": "0",
            "texts": 3,
            "searches": dict.fromkeys(search_shortfall.SEARCHES, held),
        }
    ]
    assert not any(one["holds"] for one in search_shortfall._gates(rows))
