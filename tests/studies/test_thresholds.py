"""The study that δ and the fewest texts are set from: its runs, and its rule on numbers that are known."""

from collections import Counter

import pytest

from sightline.experiments.run import run
from sightline.experiments.store import Conclusion, Summary
from sightline.findings.thresholds import committed
from sightline.results import Estimate
from sightline.spec.keys import training_key
from sightline.spec.texts import parse_data, parse_model
from sightline.spec.values import FitSpec, RunSpec
from sightline.studies import calibration, thresholds
from sightline.studies.thresholds import TESTED, deltas, effects, powers


def test_small_audits_are_of_models_that_whole_ones_train() -> None:
    grid = thresholds.grid()
    assert Counter(labels[2] for labels in grid.labels) == {"all": 80, "25": 40, "50": 40, "100": 40, "200": 40}
    assert len(set(map(training_key, grid.cells))) == 80
    assert {cell.limit for cell in grid.cells} == {None, 25, 50, 100, 200}
    used = {*calibration.SEEDS, *calibration.UNSEEN}
    assert not {cell.seed for cell in grid.cells} & used


def test_a_delta_is_a_quarter_of_the_median_where_the_claim_is_true() -> None:
    found = [("mlp", {"SL-001": 0.4, "SL-104": 0.1}), ("mlp", {"SL-001": 0.8, "SL-104": 0.5}),
             ("mlp", {"SL-001": 0.6}), ("bilstm", {"SL-001": 0.0, "SL-104": 0.01})]  # fmt: skip
    assert deltas(found) == {"SL-001": 0.15, "SL-104": 0.03}  # of .4, .6, .8; of .01, .1, .5: .025, rounded to even
    assert deltas([("mlp", {"SL-202": 0.001})]) == {"SL-202": 0.01}


def test_a_power_is_the_share_in_which_all_are_supported() -> None:
    def few(*lows: float) -> Summary:
        effects = [Estimate(1.0, low, 1.0, 9, "") for low in lows]
        found = {code: Conclusion("", effect) for code, effect in zip(TESTED, effects, strict=True)}
        return Summary("k", "d", "m", 0, "done", 1.0, "", "", found, {})

    delta = dict.fromkeys(TESTED, 0.1)
    assert powers([few(0.2, 0.2, 0.2, 0.2), few(0.2, 0.2, 0.2, 0.1), few(0.0, 0.2, 0.2, 0.2)], delta) == 1 / 3


def test_effects_are_judged_anew_from_what_was_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = RunSpec(parse_data("planted:needle(n=120,length=6)"), parse_model("mlp(hidden=8)"), FitSpec(epochs=3), 5)
    audit = run(spec)[1]
    told = effects(audit, 5)
    own = {finding.code: finding.effect.value for finding in audit.findings if finding.effect is not None}
    assert told.keys() == own.keys() == committed().delta.keys()
    assert {code: value for code, value in told.items() if code != "SL-001"} == {
        code: value for code, value in own.items() if code != "SL-001"
    }
