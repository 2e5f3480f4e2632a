"""The study that δ and the fewest texts are set from: its runs, and its rule on numbers that are
known.
"""

from collections import Counter

import pytest

from sightline.config.run_keys import training_key
from sightline.config.spec_syntax import parse_data, parse_model
from sightline.config.specs import FitSpec, RunSpec
from sightline.core.results import Estimate
from sightline.experiments.pipeline import run
from sightline.studies.calibration import scenarios, threshold_calibration
from sightline.studies.calibration.threshold_calibration import (
    WORLDS,
    deltas,
    effects,
    false_failures,
    fewest_texts,
    power_at,
)
from sightline.verdict.catalogue import AUDIT_TESTS


def known(value: float, half: float = 0.05) -> Estimate:
    return Estimate(value, value - half, value + half, 100, "made up")


def test_small_audits_are_of_models_that_whole_ones_train() -> None:
    grid = threshold_calibration.STUDY.grid()
    assert Counter(labels[1] for labels in grid.labels) == {
        "all": 40,
        "50": 30,
        "100": 30,
        "200": 30,
    }
    assert len(set(map(training_key, grid.specs))) == 40
    assert {spec.limit for spec in grid.specs} == {None, 50, 100, 200}
    used = {
        spec.seed for first in (0, scenarios.UNSEEN) for spec in scenarios.grid(None, first).specs
    }
    assert not {spec.seed for spec in grid.specs} & used


def test_a_world_leaves_out_only_claims_that_there_are() -> None:
    assert all(code in AUDIT_TESTS for world in WORLDS.values() for code in world.not_here)
    assert all(any(code not in world.not_here for world in WORLDS.values()) for code in AUDIT_TESTS)


def test_a_delta_is_a_quarter_of_the_median_where_the_claim_is_true() -> None:
    guided = "needle, BiLSTM guided onto the evidence"
    found = [
        ("needle, MLP", {"SL-001": known(0.4), "SL-303": known(0.8)}),
        ("votes, MLP", {"SL-001": known(0.8)}),
        ("votes, MLP", {"SL-001": known(0.6)}),
        (guided, {"SL-001": known(0.0), "SL-303": known(0.4)}),
    ]
    assert deltas(found) == {"SL-303": 0.15, "SL-001": 0.15}
    assert deltas([("votes, MLP", {"SL-202": known(0.001)})]) == {"SL-202": 0.01}


def test_a_threshold_that_the_words_of_a_claim_name_is_not_set() -> None:
    named = [code for code, claim in AUDIT_TESTS.items() if claim.fixed is not None]
    assert named == ["SL-305", "SL-308"]
    assert deltas([("votes, MLP", dict.fromkeys([*named, "SL-303"], known(0.8)))]) == {
        "SL-303": 0.2
    }


def test_power_is_the_share_that_is_supported() -> None:
    runs = [{"SL-303": known(0.3)}, {"SL-303": known(0.14)}, {}, {"SL-303": known(0.5)}]
    assert power_at("SL-303", 0.1, runs) == pytest.approx(2 / 3, abs=1e-3)
    assert power_at("SL-001", 0.1, runs) == 0


def test_few_texts_lead_astray_where_they_contradict_what_all_support() -> None:
    def runs(*pairs: tuple[float, float]) -> list[tuple[dict[str, Estimate], dict[str, Estimate]]]:
        return [({"SL-303": known(few)}, {"SL-303": known(whole)}) for few, whole in pairs]

    right, open_, wrong, elsewhere = (0.4, 0.3), (0.12, 0.3), (0.01, 0.3), (0.01, 0.02)
    assert false_failures("SL-303", 0.1, runs(right, open_, wrong, elsewhere)) == pytest.approx(
        1 / 3, abs=1e-3
    )
    assert (
        false_failures("SL-303", 0.1, runs(elsewhere))
        == false_failures("SL-001", 0.1, runs(right))
        == 0
    )


def test_the_fewest_texts_hardly_ever_lead_astray() -> None:
    assert fewest_texts({"50": 0.1, "100": 0.05, "200": 0.2}) == 100
    assert fewest_texts({"50": 0.1, "200": 0.06}) == 200


def test_effects_are_judged_anew_from_what_was_measured() -> None:
    spec = RunSpec(
        parse_data("planted:needle(n=240,length=6)"),
        parse_model("mlp(hidden=8)"),
        FitSpec(epochs=3),
        5,
    )
    audit = run(spec)[1]
    result = effects(audit, 5)
    own = {finding.code: finding.score for finding in audit.findings if finding.score is not None}
    assert result.keys() == own.keys()
    alone = [
        code
        for code in own
        if AUDIT_TESTS[code].kind in ("contrast", "pairs") and not AUDIT_TESTS[code].second
    ]
    assert alone
    assert {code: result[code] for code in alone} == {code: own[code] for code in alone}


def test_thresholds_are_set_from_all_runs() -> None:
    some = [{"world": name, "texts": "1000", "seed": "0"} for name in threshold_calibration.WORLDS]
    assert threshold_calibration._summary({"rows": some}) == {}
