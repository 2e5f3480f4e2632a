"""The study of the verdict: its worlds, what it counts on made-up runs, and gates that can
break.
"""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from sightline.config.registry import ENCODERS
from sightline.config.run_keys import training_key
from sightline.config.spec_syntax import parse_data
from sightline.config.specs import FitSpec
from sightline.core.results import Estimate
from sightline.data.synthetic.cue_words import read_world, sizes_of
from sightline.experiments.grid import Grid
from sightline.experiments.store import Conclusion, Store, Summary
from sightline.studies.calibration import scenarios
from sightline.studies.calibration.scenarios import MODELS, WORLDS, Scenario, run_spec
from sightline.studies.run_counts import table
from sightline.studies.study_catalogue import plans_of
from sightline.studies.study_definition import grid_of
from sightline.verdict.catalogue import AUDIT_TESTS
from sightline.verdict.verdict_table import TABLE
from tests.studies.runs import run_all

NAMED = {world.name: world for world in WORLDS}


def test_in_full_it_is_every_world_in_every_encoder_seed_by_seed() -> None:
    assert tuple(MODELS) == ("mlp", "bilstm", "cnn", "transformer")
    assert set(MODELS) == set(ENCODERS)
    found = list(scenarios.labels())
    counted = Counter(label[:2] for label in found)
    assert set(counted) == {(world.name, encoder) for world in WORLDS for encoder in world.models}
    assert all(count == (20 if encoder == "mlp" else 10) for (_, encoder), count in counted.items())
    assert len(set(found)) == len(found)
    numbers = [int(seed) for _, _, seed in found]
    assert numbers == sorted(numbers)


def test_a_grid_of_one_seed_has_every_world_and_no_run_twice() -> None:
    one = scenarios.grid(1, scenarios.UNSEEN)
    assert one.axes == ("world", "encoder", "seed")
    assert {label[:2] for label in one.labels} == {label[:2] for label in scenarios.labels()}
    assert {spec.seed for spec in one.specs} == {10_000}
    assert len(set(one.keys)) == len(one.keys)
    assert not {label[2] for label in scenarios.labels()} & {
        label[2] for label in scenarios.labels(None, scenarios.UNSEEN)
    }
    assert {label[2] for label in scenarios.labels(2)} == {"0", "1"}


def test_what_confirms_it_is_fewer_seeds_of_every_world() -> None:
    """Three or five seeds of unseen ones in every world, each a run that the calibration does not
    have.
    """
    again, first = scenarios.grid(None, scenarios.UNSEEN, scenarios.CONFIRMED), scenarios.grid()
    counted = Counter(label[:2] for label in again.labels)
    assert set(counted) == {label[:2] for label in first.labels}
    assert all(count == (5 if encoder == "mlp" else 3) for (_, encoder), count in counted.items())
    assert min(spec.seed for spec in again.specs) == scenarios.UNSEEN
    assert not set(again.keys) & set(first.keys)


def test_what_is_counted_again_is_the_first_of_these_seeds_in_every_world(tmp_path: Path) -> None:
    confirmed = scenarios.grid(None, scenarios.UNSEEN, scenarios.CONFIRMED)
    firsts = {
        key
        for key, spec in zip(confirmed.keys, confirmed.specs, strict=True)
        if spec.seed == 10_000
    }
    (plan,) = plans_of(scenarios.AGAIN, tmp_path, tmp_path)
    assert {*plan.grid.keys} == firsts
    assert len(plan.grid.keys) == len({label[:2] for label in scenarios.labels()})


SHARED = (
    {
        "needle",
        "logits × 0.3",
        "logits × 10",
        "random weights shown",
        "shuffled weights shown",
        "evidence shown",
        "20 texts",
        "no numbers",
        "right for one class alone",
        "right on two texts in five",
        "nearly flat",
        "at the border of a shade",
        "prediction encoded in fillers",
        "prediction encoded in places",
        "takeover, 15 words, gain 60 above 0.55",
        "takeover, 15 words, gain 200 above 0.65",
        "takeover, 15 words, gain 1000 above 0.7",
        "recognises what tests make",
    },
    {"votes", "votes, shown evenly", "half of the evidence"},
    {"needle, 30 words", "a filler on top", "takeover, 30 words, gain 200 above 0.6"},
)
"""Worlds that differ in nothing but their audit."""


@pytest.mark.parametrize("encoder", MODELS)
def test_worlds_that_differ_in_the_audit_alone_share_a_training(encoder: str) -> None:
    keys: dict[str, set[str]] = {}
    for name in (name for name in NAMED if encoder in NAMED[name].models):
        keys.setdefault(training_key(run_spec(NAMED[name], encoder, 0)), set()).add(name)
    shared = [names for names in keys.values() if len(names) > 1]
    there = [{name for name in names if encoder in NAMED[name].models} for names in SHARED]
    assert sorted(map(sorted, shared)) == sorted(map(sorted, there))


def test_models_that_mislead_or_cheat_are_worlds_whose_map_must_not_be_shown() -> None:
    """What a fraud ends in is counted apart, so each has to be known as one."""
    frauds = {name for name, world in NAMED.items() if world.fraud}
    kinds = {NAMED[name].altered.partition("(")[0] for name in frauds}
    assert kinds == {"border", "encoded", "placed", "takeover", "recognising"}
    assert all(
        NAMED[name].honest is False
        for name in (*frauds, "nearly flat", "a filler on top", "on the last word")
    )
    assert {name for name, world in NAMED.items() if world.honest} == {
        "needle",
        "needle, 10 words",
        "needle, 30 words",
        "needle, 120 words",
        "four classes",
        "votes",
        "votes, shown evenly",
        "found alone",
        "detector, 50 %",
        "detector, 10 %",
        "detector, 2 %",
        "logits × 0.3",
        "logits × 10",
        "evidence shown",
    }
    assert all(
        NAMED[name].honest is None
        for name in ("not guided", "20 texts", "no numbers", "half of the evidence")
    )


def test_a_class_has_rows_of_its_own_or_what_is_wrong_of_all_texts() -> None:
    detector = NAMED["detector, 50 %"]
    assert (detector.of_class("alpha").right, detector.of_class("beta").right) == ((7,), (4, 5))
    assert set(detector.of_class("alpha").never) == {2, 3, 4, 5}
    assert 7 in detector.of_class("beta").never
    assert NAMED["needle"].of_class("alpha") == scenarios.RightRows((), (2, 3))
    for world in WORLDS:
        assert all(not set(rows.right) & set(rows.never) for rows in world.classes.values())


@pytest.mark.parametrize("world", WORLDS, ids=lambda world: world.name)
def test_a_world_can_be_made_and_promises_what_can_be_kept(world: Scenario) -> None:
    rows = {row.number for row in TABLE}
    assert not set(world.right) & set(world.never)
    assert {*world.right, *world.never, *world.says} <= rows
    assert set(world.says) <= set(world.right)
    assert world.why
    assert set(world.false) <= set(AUDIT_TESTS)
    assert ("SL-107" in world.false) == (
        "frozen" in world.companions
    )  # what it is measured against
    # What holds whatever is counted is no promise.
    assert not set(world.right) >= rows or world.says
    assert world.like == "" or set(world.models) <= set(NAMED[world.like].models)
    assert len(NAMED) == len(WORLDS)
    for encoder in world.models:
        spec = run_spec(world, encoder, 3)
        assert (spec.seed, spec.limit, spec.altered) == (3, world.limit, world.altered)
    assert spec.data.part is not None
    assert sizes_of(read_world(spec.data.part).n)["test"] in (100, 200, 400)


def test_attention_is_guided_onto_evidence_where_nothing_else_is_said() -> None:
    guides = {
        world.name: run_spec(world, "bilstm", 0).fit.guide
        for world in WORLDS
        if "bilstm" in world.models
    }
    assert (
        guides["needle"]
        == guides["votes"]
        == guides["detector, 2 %"]
        == guides["no numbers"]
        == "onto"
    )
    assert guides["not guided"] == guides["frozen by word"] == guides["random labels"] == ""
    ends = guides["on the last word"], guides["on the first word"], guides["away from the evidence"]
    assert ends == ("last", "first", "away")
    assert run_spec(NAMED["found alone"], "mlp", 0).fit.guide == ""
    assert run_spec(NAMED["on the last word"], "cnn", 0).fit.guide_weight == 0.3
    assert str(run_spec(NAMED["frozen by word"], "mlp", 0).model.source) == "frozen"


def made_up(row: int, seed: int, accuracy: float = 0.75, **by_class: int) -> Summary:
    metrics = {"accuracy": Estimate(accuracy, 0.7, 1.0, 200, "")}
    return Summary(f"key {seed}", "d", "m", seed, "done", 1.0, "", "", {}, metrics, row, by_class)


def by_seed(*rows: int) -> dict[str, Summary]:
    return {str(seed): made_up(row, seed, alpha=row, beta=6) for seed, row in enumerate(rows)}


def test_a_group_counts_the_rows_of_all_texts_and_of_each_class() -> None:
    result = scenarios.group(
        NAMED["logits × 10"], "mlp", by_seed(4, 5, 5, 2), by_seed(4, 4, 6, 2), {"0"}
    )
    assert {number: one["count"] for number, one in result["rows"].items()} == {
        "1": 0, "2": 1, "3": 0, "4": 1, "5": 2, "6": 0, "7": 0
    }  # fmt: skip
    assert result["rows"]["5"]["share"] == 0.5
    assert result["rows"]["5"]["interval"] == [0.15, 0.85]  # Wilson's for 2 of 4
    assert result["by_class"]["alpha"] == result["rows"]
    assert result["by_class"]["beta"]["6"]["count"] == 4
    assert (result["n_cells"], result["texts"], result["accuracy_mean"]) == (4, 200, 0.75)
    assert (result["right"], result["never"]) == (
        2,
        1,
    )  # three are right, and one of them does not say what it must
    assert result["classes"]["alpha"] == {
        "n": 4,
        "right": 0,
        "never": 1,
    }  # a class is promised what it is not
    assert (result["honest"], result["fraud"]) == (True, False)
    assert (result["alike"], result["pairs"]) == (
        3,
        4,
    )  # rows 4 and 5 both show the map, and row 6 does not


def test_a_class_is_held_to_its_own_rows() -> None:
    world = NAMED["detector, 50 %"]
    runs = {str(seed): made_up(5, seed, alpha=7, beta=row) for seed, row in enumerate([5, 5, 2, 7])}
    group = scenarios.group(world, "mlp", runs, {}, set())
    assert group["classes"] == {
        "alpha": {"n": 4, "right": 4, "never": 0}, "beta": {"n": 4, "right": 2, "never": 2}
    }  # fmt: skip
    found = [
        (one["name"], one["count"], one["limit"], one["holds"])
        for one in scenarios.promised(world, group)
    ]
    assert found[2:] == [
        ("detector, 50 %, mlp, predicted alpha: row 7", 4, "≥ 4", True),
        ("detector, 50 %, mlp, predicted alpha: never row 4 5 2 3", 0, "≤ 0", True),
        ("detector, 50 %, mlp, predicted beta: row 4 5", 2, "≥ 4", False),
        ("detector, 50 %, mlp, predicted beta: never row 2 3 7", 2, "≤ 0", False),
    ]


def test_rates_are_of_runs_whose_truth_is_known_frauds_apart() -> None:
    names = ("needle", "on the last word", "at the border of a shade", "not guided")
    rows = ((4, 5, 6, 2), (2, 3, 5, 6), (4, 2, 1, 6), (4, 4, 4, 4))
    groups = [
        scenarios.group(NAMED[name], "bilstm", by_seed(*of), {}, set())
        for name, of in zip(names, rows, strict=True)
    ]
    result = scenarios.rates(groups)
    counts = {
        name: {answer: one["count"] for answer, one in answers.items()}
        for name, answers in result.items()
    }
    assert counts == {
        "maps that are right": {
            "can be shown": 1,
            "can be shown with caveats": 1,
            "must not be shown": 1,
            "cannot tell": 1,
        },
        "maps that mislead": {
            "can be shown": 0,
            "can be shown with caveats": 1,
            "must not be shown": 2,
            "cannot tell": 1,
        },
        "frauds": {
            "can be shown": 1,
            "can be shown with caveats": 0,
            "must not be shown": 1,
            "cannot tell": 2,
        },
    }
    assert all(one["n"] == 4 for answers in result.values() for one in answers.values())
    assert result["frauds"]["can be shown"]["interval"] == [0.0456, 0.6994]  # Wilson's for 1 of 4
    assert scenarios.rates([])["frauds"]["can be shown"] == {
        "count": 0,
        "n": 0,
        "share": None,
        "interval": None,
    }


def test_accuracies_that_are_no_numbers_are_left_out() -> None:
    runs = {"0": made_up(1, 0, float("nan")), "1": made_up(1, 1, 0.5)}
    assert scenarios.group(NAMED["no numbers"], "mlp", runs, {}, set())["accuracy_mean"] == 0.5
    assert (
        scenarios.group(NAMED["no numbers"], "mlp", {"0": runs["0"]}, {}, set())["accuracy_mean"]
        is None
    )


@pytest.mark.parametrize(
    ("name", "rows", "like", "expected"),
    [
        ("needle", [4] * 47 + [6] * 3, [], [("needle, mlp: row 4 5", 47, "≥ 48", False), ("needle, mlp: never row 2 3", 0, "≤ 1", True), (("needle, mlp, predicted alpha: " "never row 2 3"), 0, "≤ 1", True), ("needle, mlp, predicted beta: never row 2 3", 0, "≤ 1", True)]),
        ("needle", [4] * 48 + [2] * 2, [], [("needle, mlp: row 4 5", 48, "≥ 48", True), ("needle, mlp: never row 2 3", 2, "≤ 1", False), (("needle, mlp, predicted alpha: " "never row 2 3"), 2, "≤ 1", False), ("needle, mlp, predicted beta: never row 2 3", 0, "≤ 1", True)]),
        ("logits × 10", [4] * 50, [4] * 40 + [5] * 7 + [6] * 3, [
            ("logits × 10, mlp: row 4 5", 50, "≥ 48", True), ("logits × 10, mlp: never row 2 3", 0, "≤ 1", True),
            ("logits × 10, mlp, predicted alpha: never row 2 3", 0, "≤ 1", True),
            ("logits × 10, mlp, predicted beta: never row 2 3", 0, "≤ 1", True),
            ("logits × 10, mlp: the row of needle", 47, "≥ 48", False),
        ]),
        ("not guided", [2] * 50, [], []),
    ],
)  # fmt: skip
def test_a_gate_breaks_at_its_limit(
    name: str, rows: list[int], like: list[int], expected: list[tuple]
) -> None:
    group = scenarios.group(NAMED[name], "mlp", by_seed(*rows), by_seed(*like), set())
    found = [
        (one["name"], one["count"], one["limit"], one["holds"])
        for one in scenarios.promised(NAMED[name], group)
    ]
    assert found == expected


def test_a_claim_that_is_false_must_not_be_supported() -> None:
    world = NAMED["frozen by word"]
    found = ["passed", "inconclusive", "failed", "passed"]
    runs = {seed: replace(run, findings={"SL-107": Conclusion(found[int(seed)], None)})
            for seed, run in by_seed(5, 5, 3, 2).items()}  # fmt: skip
    group = scenarios.group(world, "mlp", runs, {}, set())
    assert group["false"] == {"SL-107": 2}
    (only,) = scenarios.promised(world, group)
    assert (only["name"], only["count"], only["limit"], only["holds"]) == (
        "frozen by word, mlp: SL-107 passed", 2, "≤ 0", False
    )  # fmt: skip
    by_class = {"beta": {"n": 4, "right": 4, "never": 0}}
    (kept,) = scenarios.promised(world, {**group, "n_cells": 100, "classes": by_class})
    assert (kept["of"], kept["holds"]) == (100, True)


def test_a_row_that_is_never_right_is_counted_where_no_other_is_promised() -> None:
    group = scenarios.group(NAMED["every word is evidence"], "mlp", by_seed(4, 5), {}, set())
    whole, *classes = scenarios.promised(NAMED["every word is evidence"], group)
    assert (whole["name"], whole["count"], whole["holds"]) == (
        "every word is evidence, mlp: never row 4",
        1,
        False,
    )
    assert [(one["name"], one["count"], one["holds"]) for one in classes] == [
        ("every word is evidence, mlp, predicted alpha: never row 4", 1, False),
        ("every word is evidence, mlp, predicted beta: never row 4", 0, True),
    ]


@pytest.mark.parametrize(
    ("row", "reasons", "right"),
    [
        (5, ("the weights shown are not used by the model",), 1),
        (5, ("nothing",), 0),
        (6, (), 0),
        (2, ("not used",), 0),
    ],
)
def test_a_row_is_right_just_where_its_reasons_say_what_they_must(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, row: int, reasons: tuple[str, ...], right: int
) -> None:
    world = NAMED["evidence shown"]
    grid = grid_of("one", scenarios.AXES, [((world.name, "mlp", "0"), run_spec(world, "mlp", 0))])
    audit = SimpleNamespace(
        verdict=SimpleNamespace(reasons=reasons), environment={}, findings=(), estimates={}
    )
    store = Store(tmp_path / "store")
    monkeypatch.setattr(store, "find", lambda keys: {keys[0]: made_up(row, 0)})
    monkeypatch.setattr(store, "audit", lambda key: audit)
    result = scenarios.table(grid, store)
    assert result["rows"][0]["right"] == right


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> tuple[Grid, Store]:
    """One seed of two worlds, on few texts and hardly trained."""
    labels = [(name, "mlp", "0") for name in ("needle", "logits × 10")]
    small = {
        "data": parse_data("planted:needle(n=160,length=9)"),
        "fit": FitSpec(epochs=1),
        "companions": (),
        "measures": ("erasure",),
    }
    specs = [replace(run_spec(NAMED[name], "mlp", 0), **small) for name, _, _ in labels]
    grid, store = (
        grid_of("small", scenarios.AXES, zip(labels, specs, strict=True)),
        Store(tmp_path_factory.mktemp("w") / "store"),
    )
    run_all(grid.specs, store)
    return grid, store


def test_the_table_tells_the_rows_that_the_audits_have(small: tuple[Grid, Store]) -> None:
    grid, store = small
    result = table(scenarios.STUDY, grid, store)
    assert {*result} == {
        "cells",
        "seeds",
        "groups",
        "gates",
        "rates",
        "quality",
        "environment",
        "hours",
    }
    assert [(group["world"], group["encoder"]) for group in result["groups"]] == [
        label[:2] for label in grid.labels
    ]
    for key, group in zip(grid.keys, result["groups"], strict=True):
        verdict = store.audit(key).verdict
        assert group["rows"][str(verdict.row)]["count"] == 1
        assert set(group["by_class"]) == set(verdict.by_class)
    assert [group["pairs"] for group in result["groups"]] == [0, 1]
    assert len(list(Path(store.root).glob("trainings/??/*"))) == 1
