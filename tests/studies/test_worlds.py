"""The study of the verdict: its worlds, what it counts on made-up runs, and gates that can break."""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from sightline.data.planted.cues import read_world, sizes_of
from sightline.experiments.executors.serial import Serial
from sightline.experiments.grid import Grid
from sightline.experiments.store import Conclusion, Store, Summary
from sightline.findings.claims import CLAIMS
from sightline.findings.verdict import TABLE
from sightline.results import Estimate
from sightline.spec.catalogue import ENCODERS
from sightline.spec.keys import training_key
from sightline.spec.texts import parse_data
from sightline.spec.values import FitSpec
from sightline.studies import worlds
from sightline.studies.study import complete, grid_of
from sightline.studies.worlds import MODELS, WORLDS, World, cell

NAMED = {world.name: world for world in WORLDS}


def test_in_full_it_is_every_world_in_every_encoder_seed_by_seed() -> None:
    assert tuple(MODELS) == ("mlp", "bilstm", "cnn", "transformer")
    assert set(MODELS) == set(ENCODERS)
    found = list(worlds.labels())
    counted = Counter(label[:2] for label in found)
    assert set(counted) == {(world.name, encoder) for world in WORLDS for encoder in world.models}
    assert all(count == (200 if encoder == "mlp" else 50) for (_, encoder), count in counted.items())
    assert len(set(found)) == len(found)
    numbers = [int(seed) for _, _, seed in found]
    assert numbers == sorted(numbers)


def test_a_grid_of_one_seed_has_every_world_and_no_run_twice() -> None:
    one = worlds.grid(1, worlds.UNSEEN)
    assert one.axes == ("world", "encoder", "seed")
    assert {label[:2] for label in one.labels} == {label[:2] for label in worlds.labels()}
    assert {spec.seed for spec in one.cells} == {10_000}
    assert len(set(one.keys)) == len(one.keys)
    assert not {label[2] for label in worlds.labels()} & {label[2] for label in worlds.labels(None, worlds.UNSEEN)}
    assert {label[2] for label in worlds.labels(2)} == {"0", "1"}


@pytest.mark.parametrize("encoder", MODELS)
def test_worlds_that_differ_in_the_audit_alone_share_a_training(encoder: str) -> None:
    one = {"needle", "logits × 0.3", "logits × 10", "random weights shown", "shuffled weights shown",
           "evidence shown", "20 texts", "no numbers"}  # fmt: skip
    keys = {name: training_key(cell(NAMED[name], encoder, 0)) for name in NAMED if encoder in NAMED[name].models}
    assert {name for name, key in keys.items() if key == keys["needle"]} == one
    rest = [key for name, key in keys.items() if name not in one]
    assert len(set(rest)) == len(rest)


@pytest.mark.parametrize("world", WORLDS, ids=lambda world: world.name)
def test_a_world_can_be_made_and_promises_what_can_be_kept(world: World) -> None:
    rows = {row.number for row in TABLE}
    assert not set(world.right) & set(world.never)
    assert {*world.right, *world.never, *world.says} <= rows
    assert set(world.says) <= set(world.right)
    assert world.why
    assert set(world.false) <= set(CLAIMS)
    assert ("SL-107" in world.false) == ("frozen" in world.companions)  # what it is measured against
    # What holds whatever is counted is no promise.
    assert not set(world.right) >= rows or world.says
    assert world.like == "" or set(world.models) <= set(NAMED[world.like].models)
    assert len(NAMED) == len(WORLDS)
    for encoder in world.models:
        spec = cell(world, encoder, 3)
        assert (spec.seed, spec.limit, spec.altered) == (3, world.limit, world.altered)
    assert spec.data.part is not None
    assert sizes_of(read_world(spec.data.part).n)["test"] in (100, 200, 400)


def test_attention_is_guided_onto_evidence_where_nothing_else_is_said() -> None:
    guides = {world.name: cell(world, "bilstm", 0).fit.guide for world in WORLDS if "bilstm" in world.models}
    assert guides["needle"] == guides["votes"] == guides["detector, 2 %"] == guides["no numbers"] == "onto"
    assert guides["not guided"] == guides["frozen by word"] == guides["random labels"] == ""
    ends = guides["on the last word"], guides["on the first word"], guides["away from the evidence"]
    assert ends == ("last", "first", "away")
    assert cell(NAMED["found alone"], "mlp", 0).fit.guide == ""
    assert cell(NAMED["on the last word"], "cnn", 0).fit.guide_weight == 0.3
    assert str(cell(NAMED["frozen by word"], "mlp", 0).model.source) == "frozen"


def made_up(row: int, seed: int, accuracy: float = 0.75, **by_class: int) -> Summary:
    metrics = {"accuracy": Estimate(accuracy, 0.7, 1.0, 200, "")}
    return Summary(f"key {seed}", "d", "m", seed, "done", 1.0, "", "", {}, metrics, row, by_class)


def cells(*rows: int) -> dict[str, Summary]:
    return {str(seed): made_up(row, seed, alpha=row, beta=6) for seed, row in enumerate(rows)}


def test_a_group_counts_the_rows_of_all_texts_and_of_each_class() -> None:
    told = worlds.group(NAMED["logits × 10"], "mlp", cells(4, 5, 5, 2), cells(4, 4, 5, 2), {"0"})
    assert {number: one["count"] for number, one in told["rows"].items()} == {
        "1": 0, "2": 1, "3": 0, "4": 1, "5": 2, "6": 0
    }  # fmt: skip
    assert told["rows"]["5"]["share"] == 0.5
    assert told["rows"]["5"]["interval"] == [0.15, 0.85]  # Wilson's for 2 of 4
    assert told["by_class"]["alpha"] == told["rows"]
    assert told["by_class"]["beta"]["6"]["count"] == 4
    assert (told["n_cells"], told["texts"], told["accuracy_mean"]) == (4, 200, 0.75)
    assert (told["right"], told["never"]) == (2, 1)  # three are right, and one of them does not say what it must
    assert (told["alike"], told["pairs"]) == (3, 4)


def test_accuracies_that_are_no_numbers_are_left_out() -> None:
    runs = {"0": made_up(1, 0, float("nan")), "1": made_up(1, 1, 0.5)}
    assert worlds.group(NAMED["no numbers"], "mlp", runs, {}, set())["accuracy_mean"] == 0.5
    assert worlds.group(NAMED["no numbers"], "mlp", {"0": runs["0"]}, {}, set())["accuracy_mean"] is None


@pytest.mark.parametrize(
    ("name", "rows", "like", "expected"),
    [
        ("needle", [4] * 47 + [6] * 3, [], [("needle, mlp: row 4 5", 47, "≥ 48", False), ("needle, mlp: never row 2 3", 0, "≤ 1", True)]),
        ("needle", [4] * 48 + [2] * 2, [], [("needle, mlp: row 4 5", 48, "≥ 48", True), ("needle, mlp: never row 2 3", 2, "≤ 1", False)]),
        ("logits × 10", [4] * 50, [4] * 47 + [5] * 3, [
            ("logits × 10, mlp: row 4 5", 50, "≥ 48", True), ("logits × 10, mlp: never row 2 3", 0, "≤ 1", True),
            ("logits × 10, mlp: the row of needle", 47, "≥ 48", False),
        ]),
        ("not guided", [2] * 50, [], []),
    ],
)  # fmt: skip
def test_a_gate_breaks_at_its_limit(name: str, rows: list[int], like: list[int], expected: list[tuple]) -> None:
    group = worlds.group(NAMED[name], "mlp", cells(*rows), cells(*like), set())
    found = [(one["name"], one["count"], one["limit"], one["holds"]) for one in worlds.promised(NAMED[name], group)]
    assert found == expected


def test_a_claim_that_is_false_must_not_be_supported() -> None:
    world = NAMED["frozen by word"]
    found = ["supported", "inconclusive", "contradicted", "supported"]
    runs = {seed: replace(run, findings={"SL-107": Conclusion(found[int(seed)], None)})
            for seed, run in cells(5, 5, 3, 2).items()}  # fmt: skip
    group = worlds.group(world, "mlp", runs, {}, set())
    assert group["false"] == {"SL-107": 2}
    (only,) = worlds.promised(world, group)
    assert (only["name"], only["count"], only["limit"], only["holds"]) == (
        "frozen by word, mlp: SL-107 supported", 2, "≤ 0", False
    )  # fmt: skip
    (kept,) = worlds.promised(world, {**group, "n_cells": 100})
    assert kept["holds"]


def test_a_row_that_is_never_right_is_counted_where_no_other_is_promised() -> None:
    group = worlds.group(NAMED["every word is evidence"], "mlp", cells(4, 5), {}, set())
    (only,) = worlds.promised(NAMED["every word is evidence"], group)
    assert (only["name"], only["count"], only["holds"]) == ("every word is evidence, mlp: never row 4", 1, False)


@pytest.mark.parametrize(
    ("row", "reasons", "right"),
    [(5, ("the weights shown are not used by the model",), 1), (5, ("nothing",), 0), (6, (), 0), (2, ("not used",), 0)],
)
def test_a_row_is_right_just_where_its_reasons_say_what_they_must(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, row: int, reasons: tuple[str, ...], right: int
) -> None:
    world = NAMED["evidence shown"]
    grid = grid_of("one", worlds.AXES, [((world.name, "mlp", "0"), cell(world, "mlp", 0))])
    audit = SimpleNamespace(verdict=SimpleNamespace(reasons=reasons), environment={})
    store = Store(tmp_path / "store")
    monkeypatch.setattr(store, "find", lambda keys: {keys[0]: made_up(row, 0)})
    monkeypatch.setattr(store, "audit", lambda key: audit)
    told = worlds.table(grid, store)
    assert told["groups"][0]["right"] == right


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> tuple[Grid, Store]:
    """One seed of two worlds, on few texts and hardly trained."""
    labels = [(name, "mlp", "0") for name in ("needle", "logits × 10")]
    small = {"data": parse_data("planted:needle(n=160,length=9)"), "fit": FitSpec(epochs=1), "companions": (),
             "measures": ("erasure",)}  # fmt: skip
    specs = [replace(cell(NAMED[name], "mlp", 0), **small) for name, _, _ in labels]
    grid, store = (
        grid_of("small", worlds.AXES, zip(labels, specs, strict=True)),
        Store(tmp_path_factory.mktemp("w") / "store"),
    )
    complete(grid.cells, store, Serial())
    return grid, store


def test_the_table_tells_the_rows_that_the_audits_have(small: tuple[Grid, Store]) -> None:
    grid, store = small
    told = worlds.table(grid, store)
    assert list(told) == ["cells", "seeds", "groups", "gates", "environment", "hours"]
    assert [(group["world"], group["encoder"]) for group in told["groups"]] == [label[:2] for label in grid.labels]
    for key, group in zip(grid.keys, told["groups"], strict=True):
        verdict = store.audit(key).verdict
        assert group["rows"][str(verdict.row)]["count"] == 1
        assert set(group["by_class"]) == set(verdict.by_class)
    assert [group["pairs"] for group in told["groups"]] == [0, 1]
    assert len(list(Path(store.root).glob("trainings/??/*"))) == 1
