"""The studies of adversaries and of ablations: their runs, the words of a guide, and tables of
small ones.
"""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sightline.api.study import PlannedStudy, RunSettings, run_study
from sightline.config.base_runs import base_of, lender_of
from sightline.config.run_keys import run_key, training_key
from sightline.config.spec_syntax import parse_data
from sightline.config.specs import RunSpec
from sightline.core.results import Table
from sightline.experiments.run_in_store import run_stored
from sightline.experiments.store import Store
from sightline.studies.kept_results import StudyResults, row_of
from sightline.studies.papers import ablations, adversaries
from sightline.studies.run_counts import table
from sightline.studies.run_plan import Plan
from sightline.studies.study_definition import Params, grid_of
from sightline.studies.update_results import Work
from tests.studies.runs import read_instead
from tests.texts import example

PLANTED = parse_data("planted:needle(n=200,length=8,strength=0.9)")


@pytest.fixture
def planted(monkeypatch: pytest.MonkeyPatch) -> None:
    read_instead(monkeypatch, PLANTED, ablations, adversaries)
    ablations._words_of.cache_clear()


def small(run: RunSpec) -> RunSpec:
    model = replace(
        run.model, encoder=replace(run.model.encoder, options=(("hidden", 4),)), embedding=8
    )
    fit = replace(run.fit, epochs=1, patience=1, adversary_epochs=1 if run.fit.adversary else 80)
    return replace(run, model=model, fit=fit, companions=run.companions[:1])


def done(grid: Any, labels: list[tuple[str, ...]], root: Path) -> tuple[Any, Store]:
    """Make some runs with small models."""
    store = Store(root)
    specs = [
        (label, small(spec))
        for label, spec in zip(grid.labels, grid.specs, strict=True)
        if label in labels
    ]
    for _, run in specs:
        assert run_stored(run, store) == "done", store.summary(run_key(run))
    return grid_of(grid.name, grid.axes, specs), store


def test_all_adversaries_have_one_base(planted: None, tmp_path: Path) -> None:
    grid = adversaries.STUDY.grid(Params(tmp_path, limit=20))
    assert len(grid.specs) == 1 + 2 * 8 * 3
    base, *others = grid.specs
    assert {training_key(base_of(other)) for other in others} == {training_key(base)}
    labels = [("base", "", ""), ("attention anew", "kl", "0.01"), ("whole", "jsd", "0.1")]
    result = table(adversaries.STUDY, *done(grid, labels, tmp_path / "store"))
    assert [(row["kind"], row["divergence"], row["weight"]) for row in result["rows"]] == labels
    first, *rest = result["rows"]
    seeds = {f"{kind}.seeds" for kind in ("jsd", "tau", "tvd", "alike", "alike_chance")}
    assert set(first["beside"]) == {f"{kind}.seed(by=1)" for kind in ("jsd", "tau", "tvd")} | seeds
    assert all(set(row["beside"]) == {"jsd.base", "tau.base", "tvd.base"} for row in rest)
    for row in result["rows"]:
        assert row["metrics"]["accuracy"]["n"] == 20
        assert row["epochs"] == row["kept"] == 1
        assert {"attention", "gradient"} <= {one["name"] for one in row["maps"]}


def test_every_ablation_has_its_row(planted: None, tmp_path: Path) -> None:
    grid = ablations.STUDY.grid(Params(tmp_path, 2, ("sst",), limit=20))
    assert [label[1] for label in grid.labels] == [*ablations.KINDS] * 2
    by_kind = {
        label[1]: spec
        for label, spec in zip(grid.labels, grid.specs, strict=True)
        if label[2] == "1"
    }
    lent = dict(by_kind["MLP, attention of the BiLSTM"].model.source.options)
    assert lent == {"run": training_key(by_kind["as it is"])}
    assert (
        by_kind["guided onto telling words"].fit.guide_words
        == by_kind["guided away from telling words"].fit.guide_words
    )
    labels = [
        ("sst", kind, str(seed)) for kind in ("uniform", "scorer as drawn") for seed in (0, 1)
    ]
    result = table(ablations.STUDY, *done(grid, labels, tmp_path / "store"))
    assert [(mean["kind"], mean["seeds"]) for mean in result["means"]] == [
        ("uniform", 2),
        ("scorer as drawn", 2),
    ]
    for mean in result["means"]:
        rows = [row for row in result["rows"] if row["kind"] == mean["kind"]]
        assert mean["accuracy"]["value"] == pytest.approx(
            sum(row["metrics"]["accuracy"]["value"] for row in rows) / 2
        )
        assert len(mean["answers"]) == 2


@pytest.fixture
def lent(planted: None, tmp_path: Path) -> tuple[PlannedStudy, Store]:
    """A model and one that borrows its attention, which is listed first."""
    lender = small(ablations.run_spec(tmp_path, "sst", "as it is", 0))
    borrower = small(ablations.run_spec(tmp_path, "sst", "MLP, attention of the BiLSTM", 0))
    source = replace(borrower.model.source, options=(("run", training_key(lender)),))
    borrower = replace(borrower, model=replace(borrower.model, source=source))
    runs = [((kind,), replace(run, limit=20)) for kind, run in (("b", borrower), ("l", lender))]
    table = Table("", (), (), (), ())
    study = PlannedStudy(
        "lent", grid_of("lent", ("kind",), runs), (), lambda ended: table, lambda ended, table: ()
    )
    return study, Store(tmp_path / "store")


def test_attention_is_borrowed_once_its_run_is_made(lent: tuple[PlannedStudy, Store]) -> None:
    study, store = lent
    ended = run_study(study, store, RunSettings())
    assert [ended.found[key].state for key in study.grid.keys] == ["done", "done"]


def test_a_run_waits_for_attention_that_another_process_makes(
    lent: tuple[PlannedStudy, Store],
) -> None:
    study, store = lent
    endings = list[str]()

    @contextmanager
    def show(total: int, states: int) -> Iterator[Callable[[str, str], None]]:
        yield lambda ending, description: endings.append(ending)

    with store.claim_run(study.grid.keys[1]):
        ended = run_study(study, store, RunSettings(), show)
    assert (ended.failed, ended.elsewhere, endings) == ([], {*study.grid.keys}, ["missing"] * 2)


def test_a_run_that_lends_its_attention_is_planned_with_the_run_that_borrows_it(
    planted: None, tmp_path: Path
) -> None:
    plan = Plan(ablations.STUDY, Params(tmp_path, 1), ("sst",), {})
    (borrowing,) = (one for one in plan.readings if lender_of(one.run.spec))
    rows = {
        one.name: (row_of(plan.study, one.run, one.name), {"x": 1.0})
        for one in plan.readings
        if one is not borrowing
    }
    name = plan.study.id
    work = Work({name: [plan]}, {name: StudyResults(readings=rows)})
    made = work.grid("study", but_known=True)
    lender, borrower = made.specs
    assert lender_of(borrower) == training_key(lender)


def test_telling_words_are_those_with_the_largest_log_odds(monkeypatch: pytest.MonkeyPatch) -> None:
    said = [
        "good film",
        "good film",
        "good plot",
        "film plot",
        "film plot",
        "bad film",
        "bad plot",
        "bad film",
    ]
    texts = tuple(example(text, number, int(number > 3)) for number, text in enumerate(said))
    monkeypatch.setattr(ablations, "WORDS", 2)
    monkeypatch.setattr(ablations, "FEWEST", 3)
    assert ablations.telling_words(texts) == ("bad", "good")
    monkeypatch.setattr(ablations, "WORDS", 9)
    monkeypatch.setattr(ablations, "FEWEST", 4)
    assert ablations.telling_words(texts) == ("film", "plot")
    odds = {
        word: abs(math.log((a + 0.5) / (4 + 0.5 - a)) - math.log((b + 0.5) / (4 + 0.5 - b)))
        for word, a, b in (("good", 3, 0), ("bad", 0, 3), ("film", 3, 2), ("plot", 3, 1))
    }
    assert min(odds["good"], odds["bad"]) > max(odds["film"], odds["plot"])
