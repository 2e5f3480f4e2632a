"""The study of models that keep their words: its specs, their trainings, and its table of small
ones.
"""

from dataclasses import asdict, replace
from pathlib import Path

import pytest

from sightline.config.run_keys import run_key, training_key
from sightline.config.spec_syntax import parse_data
from sightline.config.specs import RunSpec
from sightline.core.results import Estimate
from sightline.experiments.grid import pin
from sightline.experiments.run_in_store import run_stored
from sightline.experiments.store import Store
from sightline.studies.papers import study_models, word_retention
from sightline.studies.run_counts import table
from sightline.studies.study_definition import Params, grid_of
from tests.studies.runs import read_instead

PLANTED = parse_data("planted:needle(n=200,length=8,strength=0.9)")


@pytest.fixture
def planted(monkeypatch: pytest.MonkeyPatch) -> None:
    read_instead(monkeypatch, PLANTED, word_retention, study_models)


def small(run: RunSpec) -> RunSpec:
    model = replace(
        run.model, encoder=replace(run.model.encoder, options=(("hidden", 4),)), embedding=8
    )
    return replace(
        run, model=model, fit=replace(run.fit, epochs=min(run.fit.epochs, 1), patience=1)
    )


def test_its_trainings_are_those_of_the_study_that_trains_as_the_papers(
    planted: None, tmp_path: Path
) -> None:
    grid = word_retention.STUDY.grid(Params(tmp_path, limit=20))
    assert len(grid.specs) == 2 * 2 * (5 + 3) * 3
    assert (
        len({*grid.keys}) == len(grid.specs) / 2 + 6
    )  # both corpora are the planted one here, η apart
    by_label = dict(zip(grid.labels, grid.specs, strict=True))
    models = {
        model.model: model
        for model in study_models.MODELS
        if (model.corpus, model.preset) == ("sst", "tutek2020")
    }
    for kind in word_retention.KINDS:
        theirs = pin(
            study_models.run_spec(
                PLANTED, models[f"bilstm+additive{word_retention.added('sst', kind)}"], 2, None
            )
        )
        ours = by_label["sst", "additive", kind, "trained", "2"]
        assert training_key(ours) == training_key(theirs)
        assert ours.measures == word_retention.MEASURES
        assert ours.limit == 20
    drawn = {label[2] for label in grid.labels if label[3] == "as drawn"}
    assert drawn == {"base", "residual", "concat"}
    assert {spec.fit.epochs for label, spec in by_label.items() if label[3] == "as drawn"} == {0}


@pytest.mark.parametrize(
    ("corpus", "kind", "text"),
    [
        ("sst", "base", ""), ("news", "concat", "+concat"), ("news", "tying", "+tying(delta=1.0)"),
        ("sst", "mlm", "+mlm(eta=5.0)"), ("news", "mlm", "+mlm(eta=0.1)"), ("agnews", "mlm", "+mlm(eta=5.0)"),
    ],
)  # fmt: skip
def test_what_masked_words_weigh_is_what_validation_chose_there_or_else_on_film_reviews(
    corpus: str, kind: str, text: str
) -> None:
    assert word_retention.added(corpus, kind) == text


@pytest.mark.slow
def test_the_table_has_means_over_seeds_beside_what_is_printed(
    planted: None, tmp_path: Path
) -> None:
    grid, store = (
        word_retention.STUDY.grid(Params(tmp_path, 2, limit=20)),
        Store(tmp_path / "store"),
    )
    wanted = [
        ("sst", "additive", "tying", "trained", "0"),
        ("sst", "additive", "tying", "trained", "1"),
    ]
    wanted.append(("news", "dot", "concat", "as drawn", "0"))
    specs = [
        (label, small(spec))
        for label, spec in zip(grid.labels, grid.specs, strict=True)
        if label in wanted
    ]
    for _, run in specs:
        assert run_stored(run, store) == "done", store.summary(run_key(run))
    result = table(word_retention.STUDY, grid_of(grid.name, grid.axes, specs), store)
    assert {(row["kind"], row["seed"]) for row in result["rows"]} == {
        ("tying", "0"),
        ("tying", "1"),
        ("concat", "0"),
    }
    tying, concat = result["means"]
    assert (tying["kind"], tying["seeds"], concat["kind"], concat["seeds"]) == (
        "tying",
        2,
        "concat",
        1,
    )
    rows = [row for row in result["rows"] if row["kind"] == "tying"]
    for name in (
        "F1",
        "token_evidence.share",
        "input_information.word_entropy",
        "input_information.nats",
    ):
        assert tying[name]["value"] == pytest.approx(sum(row[name]["value"] for row in rows) / 2), (
            name
        )
    assert (tying["printed_information"], tying["printed_probability"]) == (4.870, 0.586)
    assert "printed_information" not in concat
    assert {code: len(each) for code, each in tying["answers"].items()} == {
        "SL-303": 2,
        "SL-402": 2,
    }


def test_counts_of_other_numbers_of_pairs_have_no_mean() -> None:
    one = {"value": 2.0, "low": float("nan"), "high": float("nan"), "n": 20000, "method": ""}
    name = "input_information.counted"
    assert word_retention._across(name, [one, one | {"value": 3.0, "n": 19900}])["value"] == 2.5
    assert word_retention._across(name, [one, one | {"n": 10000}]) is None
    assert word_retention._across("F1", [None, one | {"value": float("nan")}]) is None


@pytest.mark.parametrize("name", ["input_information.share", "SL-402"])
def test_nothing_is_known_better_than_whole(name: str) -> None:
    seeds = [asdict(Estimate(value, value, value, 100, "")) for value in (0.9, 0.99)]
    found = word_retention._across(name, seeds)
    assert found is not None
    assert found["high"] == 1
    assert found["low"] < 0.9


def test_every_printed_figure_is_of_a_cell() -> None:
    for corpus in word_retention.CORPORA:
        for scorer in word_retention.SCORERS:
            values = {
                kind: word_retention._printed(corpus, scorer, kind) for kind in word_retention.KINDS
            }
            assert {kind for kind, one in values.items() if one["printed_probability"]} == {
                *word_retention.KINDS
            } - {"concat"}
            counted = {kind for kind, one in values.items() if one["printed_information"]}
            assert counted == (
                {*word_retention.KINDS} - {"concat"} if scorer == "additive" else set()
            )
    assert word_retention._printed("sst", "additive", "tying") == {
        "printed_probability": 0.586,
        "printed_information": 4.870,
    }
