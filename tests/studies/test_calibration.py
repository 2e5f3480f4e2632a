"""The study that counts right and wrong answers: its worlds, its counts, and gates that can break."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from sightline.experiments.executors.serial import Serial
from sightline.experiments.grid import Grid
from sightline.experiments.store import Conclusion, Store, Summary
from sightline.results import Estimate
from sightline.spec.keys import training_key
from sightline.spec.texts import parse_data
from sightline.spec.values import FitSpec
from sightline.studies import calibration
from sightline.studies.calibration import CODES, WORLDS, cell
from sightline.studies.study import complete, grid_of

VERIFIED = Path(__file__).parents[2] / "docs" / "verified" / "calibration.json"
AXES = ("world", "encoder", "corpus", "seed")


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> tuple[Grid, Store]:
    """Two seeds of one group in all worlds, on few texts and hardly trained."""
    labels = [(world, "mlp", "vote", str(seed)) for seed in (0, 1) for world in WORLDS]
    small = {"data": parse_data("planted:vote(n=160,length=9)"), "fit": FitSpec(epochs=1), "limit": 30}
    cells = [replace(cell(w, e, c, int(s)), **small) for w, e, c, s in labels]
    grid, store = grid_of("small", AXES, zip(labels, cells, strict=True)), Store(tmp_path_factory.mktemp("c") / "store")
    complete(grid.cells, store, Serial())
    return grid, store


def test_in_full_it_is_three_worlds_of_three_groups_seed_by_seed() -> None:
    grid = calibration.grid()
    assert (len(grid.cells), grid.axes) == (1800, AXES)
    assert len(set(map(training_key, grid.cells))) == 1800
    assert [cell.seed for cell in grid.cells] == [seed for seed in range(200) for _ in range(9)]
    assert not {cell.seed for cell in grid.cells} & set(calibration.UNSEEN)
    assert {(cell.companions, cell.measures) for cell in grid.cells} == {((), ("agreement",))}
    assert {cell.fit for cell in grid.cells} == {FitSpec(epochs=20, patience=4)}


@pytest.mark.parametrize(
    ("world", "source", "altered"),
    [("unused", "uniform", "random"), ("unchosen", "random", ""), ("planted", "learned", "")],
)
def test_a_world_is_where_attention_comes_from_and_what_is_shown(world: str, source: str, altered: str) -> None:
    run = cell(world, "bilstm", "needle", 3)
    assert (run.model.source.name, run.altered, run.seed) == (source, altered, 3)
    assert str(run.model).startswith("bilstm(hidden=32)+additive+softmax")
    assert str(run.data) == "planted:needle(length=30,n=800,strength=0.8)"


def test_a_run_takes_what_the_three_findings_need_and_no_more(small: tuple[Grid, Store]) -> None:
    grid, store = small
    audit = store.audit(grid.keys[0])
    assert list(audit.measurements) == ["outputs", "agreement"]
    assert audit.cards["model"]["name"].endswith(", altered: random")
    assert len(list(store.root.glob("trainings/??/*"))) == 6


def test_the_table_has_the_fields_of_what_is_committed(small: tuple[Grid, Store]) -> None:
    told, committed = calibration.table(*small), json.loads(VERIFIED.read_text(encoding="utf-8"))
    assert list(told) == list(committed)
    assert list(told["groups"][0]) == list(committed["groups"][0])
    assert list(told["gates"][0]) == list(committed["gates"][0])
    assert list(told["environment"]) == list(committed["environment"])
    named = [gate["name"] for gate in committed["gates"]]
    assert [gate["name"] for gate in told["gates"]] == [name for name in named if "mlp, vote" in name]
    json.dumps(told)


def test_the_table_counts_what_the_runs_say(small: tuple[Grid, Store]) -> None:
    grid, store = small
    told = calibration.table(grid, store)
    assert [group["world"] for group in told["groups"]] == ["unused", "unchosen", "planted"]
    assert (told["cells"], told["seeds"]) == (6, [0, 1])
    assert {(group["n_cells"], group["texts"]) for group in told["groups"]} == {(2, 30)}
    for place, group in enumerate(told["groups"]):
        audits = [store.audit(grid.keys[place + 3 * seed]) for seed in (0, 1)]
        found = [{f.code: f for f in audit.findings} for audit in audits]
        for code in CODES:
            effects = [one[code].effect for one in found]
            assert group["effect_mean"][code] == pytest.approx(sum(e.value for e in effects) / 2, abs=5e-5)
            assert group["above_zero"][code] == sum(e.low > 0 for e in effects)
            assert group["supported"][code] == sum(one[code].verdict == "supported" for one in found)
            assert group["contradicted"][code] == sum(one[code].verdict == "contradicted" for one in found)


def run(verdict: str, value: float) -> Summary:
    findings = {code: Conclusion(verdict, Estimate(value, value - 0.1, 1.0, 200, "")) for code in CODES}
    accuracy = {"accuracy": Estimate(0.75, 0.7, 1.0, 200, "")}
    return Summary("k", "d", "m", 0, "done", 1.0, "", "", findings, accuracy)


@pytest.mark.parametrize(
    ("world", "encoder", "supported", "codes", "limit", "holds"),
    [
        ("unused", "mlp", 4, ["SL-101", "SL-102"], "≤ 4", True),
        ("unused", "bilstm", 5, ["SL-101", "SL-102"], "≤ 4", False),
        ("unchosen", "mlp", 5, ["SL-104"], "≤ 4", False),
        ("planted", "mlp", 45, ["SL-101", "SL-102", "SL-104"], "≥ 45", True),
        ("planted", "mlp", 44, ["SL-101", "SL-102", "SL-104"], "≥ 45", False),
        ("planted", "bilstm", 0, [], "", True),
    ],
)
def test_a_gate_breaks_at_its_limit(
    world: str, encoder: str, supported: int, codes: list[str], limit: str, holds: bool
) -> None:
    runs = [run("supported", 0.5)] * supported + [run("contradicted", 0.05)] * (50 - supported)
    group = calibration.group((world, encoder, "vote"), runs)
    assert group["above_zero"] == dict.fromkeys(CODES, supported)
    expected = [{"name": f"{code}: {world}, {encoder}, vote", "count": supported, "of": 50, "limit": limit,
                 "holds": holds} for code in codes]  # fmt: skip
    assert list(calibration.gates(group)) == expected
