"""Models trained as the papers trained: what is run, what is told of it, and gates that an untaught
model breaks.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import f1_score

from sightline.config.run_keys import training_key
from sightline.config.spec_syntax import parse_data, parse_model
from sightline.config.specs import FitSpec, RunSpec
from sightline.core.errors import ModelError
from sightline.core.results import Estimate, Measurement
from sightline.data.word_vectors import read_vectors
from sightline.experiments.grid import Grid
from sightline.experiments.store import Store
from sightline.models.model_storage import read_classifier
from sightline.studies import study_corpora
from sightline.studies.papers import study_models
from sightline.studies.papers.published_values import performance
from sightline.studies.run_counts import table
from sightline.studies.study_definition import Params, grid_of
from tests.data.corpora import agnews, archive_of, babi, folder_of, newsgroups, snli
from tests.report.audits import compared
from tests.studies.runs import run_all

TREE = "({label} (2 A) (2 {word}) (2 film) (2 for) (2 all) (2 eyes) (2 and) (2 number) (2 {i}))\n"


def trees(n: int) -> str:
    words = {0: "dull", 4: "fine"}
    message = "".join(
        TREE.format(label=label, word=word, i=i) for i in range(n) for label, word in words.items()
    )
    return message + TREE.format(
        label=4, word="fine", i="last) (2 of) (2 all"
    )  # the longest one is left out


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every corpus in its place, tiny."""
    root = tmp_path_factory.mktemp("corpora")
    for name, files in {"ag_news": agnews(), "snli": snli()}.items():
        folder_of(root / name, files)
    folder_of(root / "sst", {f"{split}.txt": trees(4) for split in ("train", "dev", "test")})
    folder_of(
        root / "babi" / "tasks_1-20_v1-2",
        {n.removeprefix("tasks/"): text for n, text in babi().items()},
    )
    reviews = {
        f"aclImdb/{split}/{label}/{i}_{score}.txt": (
            f"A {word} film for all eyes, and again number {i}{' and on' * i}."
        )
        for split in ("train", "test")
        for label, word, score in (("pos", "fine", 9), ("neg", "dull", 2))
        for i in range(8)
    }
    for place, files in (
        ("20news/20news-bydate.rec.sport.tar.gz", newsgroups()),
        ("imdb/aclImdb_v1_labelled.tar.gz", reviews),
    ):
        (root / place).parent.mkdir()
        archive_of(root / place, files)
    return root


def test_each_model_is_run_from_three_seeds_and_each_setting_that_was_not_chosen_from_one(
    folder: Path,
) -> None:
    grid = study_models.STUDY.grid(Params(folder))
    assert len(set(grid.keys)) == len(set(grid.labels)) == len(grid.specs)
    models = [
        model for model in study_models.MODELS if not model.vectors
    ]  # there is no file of them
    for model in models:
        seeds = [
            seed
            for *names, seed in grid.labels
            if names == [model.corpus, model.preset, model.label]
        ]
        tried_only = (
            model.setting and study_models.CHOSEN[model.corpus, model.setting] != model.model
        )
        assert seeds == (["0"] if tried_only else ["0", "1", "2"]), model
    assert len(study_models.STUDY.grid(Params(folder, 1)).specs) == len(models)
    away = {"adr", "diabetes", "anemia", "cnn"}  # corpora that cannot be had
    assert {label[0] for label in grid.labels} == {*study_corpora.PLACES} - away


def test_a_run_is_the_papers_recipe_and_preset_with_whole_texts_and_all_test_texts(
    folder: Path,
) -> None:
    runs = dict(
        zip(
            study_models.STUDY.grid(Params(folder)).labels,
            study_models.STUDY.grid(Params(folder)).specs,
            strict=True,
        )
    )
    run = runs["babi1", "jain2019-babi", "bilstm+additive+query", "1"]
    assert (run.data.recipe, run.limit, run.companions) == ("paper", None, ())
    assert (run.seed, run.fit.epochs, run.model.embedding) == (1, 100, 50)
    assert run.data.digest  # named by its bytes
    assert "tying(delta=1.0)" in study_models.SETTINGS["sst", "tying"][0]
    for of, chosen in study_models.CHOSEN.items():
        assert chosen in study_models.SETTINGS[of]


def test_vectors_are_of_the_training_words_of_films_and_of_news_and_made_once(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(study_models, "DIMENSION", 3)
    monkeypatch.setattr(study_models, "FEWEST", 3)
    files = study_models.make_vectors(folder, tmp_path)
    assert files["sst"] == files["imdb"] != files["news"] == files["agnews"]
    films, news = (
        read_vectors(files[corpus], ("dull", "fine", "again", "hockey", "0"))
        for corpus in ("sst", "news")
    )
    assert {"dull", "fine", "again"} <= {*films.words}
    assert {*news.words} == {*films.words, "hockey"}  # a number is in too few texts
    assert films.rows.shape[1] == 3
    files["sst"].write_text(f"a{' 1' * 300}\n", encoding="utf-8")
    before = [file.read_bytes() for file in files.values()]
    assert [
        file.read_bytes() for file in study_models.make_vectors(folder, tmp_path).values()
    ] == before
    grid = study_models.STUDY.grid(Params(folder, vectors_of={**files, "news": files["sst"]}))
    started = {
        label[:3]
        for label, spec in zip(grid.labels, grid.specs, strict=True)
        if spec.model.vectors_digest
    }
    assert {(corpus, preset) for corpus, preset, _ in started} == {
        ("sst", "tutek2020"),
        ("news", "tutek2020"),
        ("sst", "meister2021"),
    }
    assert {model for _, preset, model in started if preset == "meister2021"} == {
        "transformer+dot, from vectors"
    }


Small = tuple[Grid, Store]
UNTAUGHT = FitSpec(epochs=1, patience=1)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Small:
    """Some of the models, tiny and hardly trained: each of another size, so that runs and scores
    differ.
    """
    wanted = [
        m
        for m in study_models.MODELS
        if m.setting or m.corpus == "babi1" or m.preset == "tutek2020"
    ]
    specs = []
    for size, model in enumerate(wanted, 2):
        query = model.model.endswith("+query")
        data = parse_data("planted:pair(n=60)" if query else "planted:needle(n=60,length=4)")
        spec = parse_model(f"mlp(hidden={size}){'+query' * query}")
        for seed in (0, 1, 2):
            if seed == 0 or study_models._is_kept(model.corpus, model.setting, model.model):
                run = RunSpec(data, spec, UNTAUGHT, seed, companions=(), measures=("need",))
                specs.append(((model.corpus, model.preset, model.model, str(seed)), run))
    grid = grid_of("small", ("corpus", "preset", "model", "seed"), specs)
    store = Store(tmp_path_factory.mktemp("trained") / "store")
    run_all(grid.specs, store)
    return grid, store


def test_a_row_is_what_the_store_holds(small: Small) -> None:
    grid, store = small
    result = table(study_models.STUDY, grid, store)
    row = result["rows"][-1]
    at = grid.labels.index((row["corpus"], row["preset"], row["model"], row["seed"]))
    audit, spec = store.audit(grid.keys[at]), grid.specs[at]
    outputs = audit.measurements["outputs"]
    assert isinstance(outputs, Measurement)
    truth, said = outputs.values["label"], outputs.values["predicted"]
    assert row["accuracy"]["value"] == pytest.approx((truth == said).mean())
    assert row["F1"]["value"] == pytest.approx(
        f1_score(truth, said, pos_label=1, zero_division=0.0)
    )
    _, training = read_classifier(store.training_folder(training_key(spec)))
    epoch = training["fit"]["epochs"][0]
    assert (row["validation"], row["epochs"], row["kept"]) == (epoch["loss"], 1, 1)
    assert result["rows"][0]["corpus"] == "babi1"
    assert result["rows"][0]["F1"] is None  # three labels


def test_a_row_is_read_from_no_training_that_was_changed(small: Small) -> None:
    grid, store = small
    card = store.training_folder(training_key(grid.specs[0])) / "model.json"
    whole = card.read_bytes()
    card.write_bytes(whole.replace(b'"seed": ', b'"seed":  '))
    try:
        with pytest.raises(ModelError, match=r"model\.json: not as it was written"):
            table(study_models.STUDY, grid, store)
    finally:
        card.write_bytes(whole)


def test_a_model_is_told_by_its_mean_over_seeds_and_how_far_it_is_from_what_is_printed(
    small: Small,
) -> None:
    result = table(study_models.STUDY, *small)
    base = next(one for one in result["models"] if one["model"] == "bilstm+additive")
    assert base["corpus"] == "sst"
    rows = [
        row for row in result["rows"] if (row["corpus"], row["model"]) == ("sst", "bilstm+additive")
    ]
    mean = sum(row["F1"]["value"] for row in rows) / 3
    assert base["F1"]["value"] == pytest.approx(mean)
    assert {one["paper"]: one["apart"] for one in base["printed"]}[
        "Tutek & Šnajder 2020"
    ] == pytest.approx(mean - 0.842)


def test_of_settings_that_were_not_chosen_no_test_score_is_told(small: Small) -> None:
    result = table(study_models.STUDY, *small)
    settings = {(one["corpus"], one["model"]) for one in result["settings"]}
    assert settings == {
        (corpus, model) for (corpus, _), models in study_models.SETTINGS.items() for model in models
    }
    unchosen = settings - {(corpus, model) for (corpus, _), model in study_models.CHOSEN.items()}
    assert not unchosen & {
        (row["corpus"], row["model"]) for row in (*result["rows"], *result["models"])
    }
    assert all(set(one) == {"run", "corpus", "model", "validation"} for one in result["settings"])


def test_untaught_models_break_the_gates_and_what_is_not_whole_has_none(small: Small) -> None:
    grid, store = small
    gates = {gate["name"]: gate for gate in table(study_models.STUDY, grid, store)["gates"]}
    asked = gates["babi1, jain2019-babi, bilstm+additive+query: accuracy"]
    assert (asked["holds"], asked["limit"]) == (False, "reaches 0.98")
    first = grid_of(
        "first",
        grid.axes,
        [
            (label, spec)
            for label, spec in zip(grid.labels, grid.specs, strict=True)
            if label[3] == "0"
        ],
    )
    result = table(study_models.STUDY, first, store)
    assert {one["reached"] for group in result["models"] for one in group["printed"]} == {None}
    assert [gate["name"] for gate in result["gates"]] == [
        "sst, tying: the setting of the best validation score",
        "sst, mlm: the setting of the best validation score",
        "news, mlm: the setting of the best validation score",
    ]


def test_a_text_without_a_finite_output_is_of_no_class() -> None:
    values = {
        "label": np.array([1, 1, 0, 0, 0, 0]),
        "predicted": np.array([1, 0, 0, 0, 1, 1]),
        "finite": np.array([True, True, True, True, False, False]),
    }
    audit = replace(
        compared(),
        measurements={"outputs": Measurement("outputs", values)},
        cards={"model": {"labels": ["no", "yes"]}},
    )
    found = study_models.positive_f1_of(audit, 0)
    assert (found["value"], found["n"]) == (pytest.approx(2 / 3), 4)
    none = Measurement("outputs", {**values, "finite": np.zeros(6, bool)})
    alone = replace(audit, measurements={"outputs": none})
    assert study_models.positive_f1_of(alone, 0) is None


def group(model: str, **more: Any) -> dict[str, Any]:
    known = {"low": 0.7, "high": 0.9, "n": 5, "method": ""}
    usual = {"corpus": "sst", "preset": "tutek2020", "model": model, "seeds": 3, "least": None}
    return usual | {"accuracy": {"value": 0.8, **known}, "F1": {"value": 0.8, **known}} | more


def test_what_keeping_words_costs_is_held_against_the_base_of_the_same_corpus() -> None:
    dear = group("bilstm+additive+mlm(eta=0.1)", corpus="news", F1=group("")["F1"] | {"value": 0.1})
    assert [*study_models._gates([group("bilstm+additive"), dear])] == []
    base = group("bilstm+additive", corpus="news")
    assert [
        gate["holds"] for gate in study_models._gates([group("bilstm+additive"), base, dear])
    ] == [False]


@pytest.mark.parametrize(("lost", "holds"), [(0.0299, True), (0.0301, False)])
def test_keeping_words_may_cost_three_points(lost: float, holds: bool) -> None:
    dear = group("bilstm+additive+concat", F1=group("")["F1"] | {"value": 0.8 - lost})
    result = list(study_models._gates([group("bilstm+additive"), dear]))
    assert [(gate["name"], gate["holds"]) for gate in result] == [
        ("sst, tutek2020, bilstm+additive+concat: F1 below the base", holds)
    ]


def test_the_setting_with_the_best_score_must_be_the_one_that_was_chosen() -> None:
    for (corpus, name), models in study_models.SETTINGS.items():
        for best in models:
            scores = [
                {"corpus": corpus, "model": one, "validation": 1.0 if one == best else 0.5}
                for one in models
            ]
            (message,) = study_models._choices(scores)
            assert (message["count"], message["holds"]) == (
                best,
                best == study_models.CHOSEN[corpus, name],
            )


@pytest.mark.parametrize(
    ("value", "high", "reached"),
    [(0.9, 0.9, True), (0.91, 0.9, False), (0.8, float("nan"), True), (0.81, float("nan"), False)],
)
def test_a_figure_is_reached_where_the_interval_is_not_below_it(
    value: float, high: float, reached: bool
) -> None:
    assert study_models._reaches(Estimate(0.8, 0.7, high, 5, ""), value) is reached


def test_figures_are_those_that_the_papers_print() -> None:
    def record(corpus: str, model: str) -> set[tuple[str, str, float]]:
        return {
            (one.paper.split()[0], one.quantity, one.value) for one in performance(corpus, model)
        }

    # Jain & Wallace 2019, Table 1; Wen et al. 2022, Table 1; Meister et al. 2021, Table 3; Tutek &
    # Šnajder 2020, Table 1
    theirs = {
        ("Jain", "F1", 0.81),
        ("Wen", "accuracy", 0.82),
        ("Meister", "accuracy", 0.82),
        ("Tutek", "F1", 0.842),
    }
    assert record("sst", "bilstm+additive") == theirs
    assert record("sst", "transformer+dot") == {("Meister", "accuracy", 0.79)}
    assert record("babi2", "bilstm+additive+query") == {
        ("Jain", "accuracy", 0.48),
        ("Wen", "accuracy", 0.74),
    }
    assert record("sst", "bilstm+additive+tying(delta=10.0)") == {("Tutek", "F1", 0.835)}
    assert record("sst", "mlp+additive") == record("sst", "bilstm+additive+residual") == set()
