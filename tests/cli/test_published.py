"""Published corpora and word vectors from the command line."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import TINY, Call
from tests.data.corpora import CORPORA, folder_of


@pytest.fixture(scope="module")
def reviews(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return folder_of(tmp_path_factory.mktemp("imdb"), CORPORA["imdb"])


def test_check_data_tells_of_a_published_corpus(sightline: Call, reviews):
    ran = sightline("check-data", "--data", f"imdb:{reviews}", "--json")
    assert ran.code == 0
    assert ran.json["splits"]["test"]["labels"] == {"negative": 8, "positive": 8}
    shown = sightline("check-data", "--data", f"imdb:{reviews}", "--recipe", "paper").out
    assert "kept as published: 1 reviews of 400 words or more are left out" in shown
    assert "found: train, negative 8 of 12500" in shown


def test_check_data_tells_of_corpora_that_only_their_owner_has(sightline: Call, tmp_path):
    specs = {"adr": "", "mimic": "(task=anemia)", "cnn": ""}
    for kind, options in specs.items():
        data = f"{kind}:{folder_of(tmp_path / kind, CORPORA[kind])}{options}"
        ran = sightline("check-data", "--data", data, "--json")
        assert ran.code == 0, ran.err
        assert all(split["n"] for split in ran.json["splits"].values())
    shown = sightline("check-data", "--data", f"mimic:{tmp_path / 'mimic'}(task=anemia)").out
    assert (
        "found: notes 48 of 2083180, discharge summaries 24 of 59652, diagnoses 60 of 651047"
        in shown
    )
    assert "copies and texts of one author, patient or source together" in shown
    asked = sightline("check-data", "--data", f"mimic:{tmp_path / 'mimic'}", "--recipe", "paper")
    assert (asked.code, "expected train_50_hadm_ids.csv" in asked.err, asked.err.count("\n")) == (
        2,
        True,
        1,
    )


def test_an_audit_of_summaries_leaves_no_copy_and_a_page_without_them(
    sightline: Call, tmp_path, monkeypatch
):
    monkeypatch.setenv("SIGHTLINE_CACHE", str(tmp_path / "cache"))
    data, page = f"mimic:{folder_of(tmp_path / 'mimic', CORPORA['mimic'])}", tmp_path / "page.html"
    ran = sightline("audit", "--data", data, *TINY, "--no-texts", "--quiet", "--out", page)
    assert ran.code == 0, ran.err
    assert "sent home" not in page.read_text()
    assert not (tmp_path / "cache").exists()


def test_what_is_wrong_is_named_as_its_flag(sightline: Call, reviews, tmp_path):
    marked = f"eraser:{folder_of(tmp_path, CORPORA['eraser'])}"
    assert (
        "error: --recipe: no paper here has"
        in sightline("check-data", "--data", marked, "--recipe", "paper").err
    )
    large = sightline(
        "vectors", "--data", f"imdb:{reviews}", "--out", tmp_path / "v", "--dimension", 900
    )
    assert "error: --dimension: expected 1 to" in large.err


def test_a_corpus_is_audited_with_vectors_made_from_it(sightline: Call, reviews, tmp_path):
    vectors, page = tmp_path / "v.txt", tmp_path / "report.html"
    made = sightline(
        "vectors",
        "--data",
        f"imdb:{reviews}",
        "--out",
        vectors,
        "--dimension",
        6,
        "--near",
        "fine",
        "--json",
    )
    assert made.code == 0, made.err
    assert len(made.json["near"]["fine"]) == 5
    assert len(vectors.read_text().splitlines()) == made.json["words"]
    ran = sightline(
        "audit", "--data", f"imdb:{reviews}", *TINY, "--vectors", vectors, "--out", page, "--json"
    )
    assert ran.code == 0, ran.err
    assert ran.json["cards"]["data"]["vectors"]["words_found"] == made.json["words"]
    assert "words_found" in page.read_text()


def test_vectors_are_told_plainly(sightline: Call, reviews, tmp_path):
    out = sightline(
        "vectors",
        "--data",
        f"imdb:{reviews}",
        "--out",
        tmp_path / "v",
        "--dimension",
        2,
        "--near",
        "zzz",
    ).out
    assert "near zzz: not a word of training" in out
    assert f"vectors: {tmp_path / 'v'}" in out
    same = sightline("vectors", "--data", f"imdb:{reviews}", "--out", reviews, "--dimension", 2)
    assert (same.code, "expected the name of a file" in same.err or "both name" in same.err) == (
        2,
        True,
    )


@pytest.mark.parametrize("kind", ["snli", "babi", "cnn"])
def test_texts_with_a_query_need_a_model_that_reads_it(sightline: Call, kind, tmp_path):
    data, out = f"{kind}:{folder_of(tmp_path / kind, CORPORA[kind])}", tmp_path / "page.html"
    assert sightline("check-data", "--data", data).code == 0
    for command in ("train", "audit"):
        ran = sightline(command, "--data", data, *TINY, "--out", tmp_path / "out.html")
        assert (ran.code, (tmp_path / "out.html").exists()) == (2, False)
        assert "+query" in ran.err
    done = sightline(
        "audit", "--data", data, "--model", "mlp(hidden=4)+query", "--epochs", 1, "--out", out
    )
    assert done.code == 0, done.err
    assert done.out.startswith("VERDICT ")
    assert "<h1>" in out.read_text()


def test_the_recipe_asks_for_at_least_the_papers_count(sightline: Call, reviews, tmp_path):
    known = {}
    for recipe in ("paper", "clean"):
        out = tmp_path / recipe
        assert (
            sightline(
                "train", "--data", f"imdb:{reviews}", "--recipe", recipe, *TINY, "--out", out
            ).code
            == 0
        )
        known[recipe] = set(json.loads((out / "model.json").read_text())["vocabulary"])
    assert {"film", "br", "train"} <= known["paper"]
    assert "indeed" in known["clean"]
    assert not {"0", "1", "2"} & known["paper"]  # in four texts each


def test_copies_that_a_papers_recipe_keeps_do_not_bar_the_audit_of_a_saved_model(
    sightline: Call, tmp_path
):
    trees = "".join(
        f"({4 * (i % 2)} " + " ".join(f"(2 w{i}_{n})" for n in range(6 + i % 3)) + ")\n"
        for i in range(12)
    )
    folder = folder_of(tmp_path / "sst", dict.fromkeys(("train.txt", "dev.txt", "test.txt"), trees))
    data, model = ("--data", f"sst:{folder}", "--recipe", "paper"), tmp_path / "model"
    assert sightline("train", *data, *TINY, "--out", model).code == 0
    ran = sightline(
        "audit", *data, "--model", model, "--quiet", "--out", tmp_path / "page.html", "--json"
    )
    assert ran.code == 0, ran.err
    assert ran.json["cards"]["data"]["same_words_as_training"]["test"] == 8
    cleanly = (
        "--data",
        f"sst:{folder}",
        "--recipe",
        "clean",
    )  # without it the recipe of the training is taken
    assert (
        sightline(
            "audit", *cleanly, "--model", model, "--quiet", "--out", tmp_path / "page.html"
        ).code
        == 2
    )


def test_published_corpora_are_listed(sightline: Call):
    rows = {row["spec"]: row for row in json.loads(sightline("list", "data", "--json").out)["data"]}
    assert rows["babi:PATH"]["options"] == {"task": 1, "size": "10k"}
    assert {
        "sst:PATH",
        "imdb:PATH",
        "agnews:PATH",
        "20news:PATH",
        "snli:PATH",
        "eraser:PATH",
        "mimic:PATH",
    } <= set(rows)


@pytest.mark.parametrize("command", ["audit", "train", "check-data", "vectors", "check-model"])
@pytest.mark.parametrize("flag", ["--text", "--label", "--split", "--query"])
def test_a_column_is_not_named_where_there_are_none(
    sightline: Call, here: Path, no_training, command, flag
):
    needs = {
        "vectors": ("--out", "v.txt"),
        "train": ("--out", "model"),
        "check-model": (
            str(Path(__file__).parents[2] / "examples" / "lstm_attention.py") + ":make",
        ),
    }
    ran = sightline(command, *needs.get(command, ()), "--data", "planted:vote", flag, "body")
    assert (ran.code, list(here.iterdir())) == (2, [])
    assert f"{flag} body: planted has no columns to name; leave {flag} out" in ran.err


def test_a_column_of_a_table_is_named(sightline: Call, here: Path):
    Path("reviews.csv").write_text(
        "body,label\n" + "\n".join(f"good {i},{i % 2}" for i in range(40))
    )
    assert sightline("check-data", "--data", "reviews.csv", "--text", "body").code == 0


def test_a_table_with_queries_is_trained_on_saved_and_audited(sightline: Call, here: Path):
    names = ("red", "blue", "green")
    lines = [
        json.dumps(
            {
                "story": f"the {names[i % 3]} one is here {i}",
                "ask": f"is {names[j]} here",
                "label": i % 3 == j,
            }
        )
        for i in range(60)
        for j in range(3)
    ]
    Path("nli.jsonl").write_text("\n".join(lines))
    data, model = (
        ("--data", "nli.jsonl", "--text", "story"),
        ("--model", "mlp(hidden=4)+query", "--epochs", 2),
    )
    without = sightline("audit", *data, *model)
    assert (without.code, "name their column with --query" in without.err) == (2, True)
    unread = sightline("train", *data, "--query", "ask", *TINY, "--out", "other")
    assert (unread.code, "add +query to the model" in unread.err) == (2, True)
    assert (
        sightline("train", *data, "--query", "ask", *model, "--out", "model", "--quiet").code == 0
    )
    ran = sightline(
        "audit", *data, "--query", "ask", "--model", "model", "--save", "kept", "--quiet", "--json"
    )
    assert ran.code == 0, ran.err
    kept = [json.loads(line) for line in Path("kept/texts.jsonl").read_text().splitlines()]
    assert {tuple(text["query"]) for text in kept} == {("is", name, "here") for name in names}
    assert "query: <bdi>is " in Path("report.html").read_text()
    proved = sightline("check-model", "model", *data, "--query", "ask")
    assert (
        proved.out.splitlines()[-1]
        == "mlp(hidden=4)+additive+softmax+query: can be audited; 18 passed"
    )
    assert (
        sightline("check-model", "model").out == proved.out
    )  # without data, texts are asked about by their own words
