"""Texts in several files by flags: what trains, what is audited, what is refused; and what a saved
model remembers.
"""

import json
import os
from pathlib import Path

import pytest

from sightline import load
from sightline.api.model_source import MODEL_FILE, SavedModel, choose
from sightline.audits.audit_result import Audit
from sightline.config.spec_syntax import parse_data
from sightline.experiments.grid import read_grid
from sightline.experiments.preprocessing import prepared_alike
from tests.cli.conftest import TINY, Call
from tests.troubles.tables import lines, rows, table


@pytest.fixture(scope="module")
def folder(sightline: Call, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file for each split, and a model that was trained on two of them, texts cut to five
    words.
    """
    place = tmp_path_factory.mktemp("own")
    made = rows(120)
    (place / "a.csv").write_bytes(table(made[:60]))
    (place / "b.csv").write_bytes(table(made[60:80]))
    named = [
        {"text": text, "label": label, "name": f"n{i}", "who": i // 2}
        for i, (text, label) in enumerate(made[80:])
    ]
    (place / "c.jsonl").write_bytes(lines(named))
    (place / "t.csv").write_bytes(
        table([(*record, "test") for record in made[80:]], ("text", "label", "split"))
    )
    files = (
        "--train",
        place / "a.csv",
        "--validation",
        place / "b.csv",
        "--test",
        place / "c.jsonl",
    )
    done = sightline("train", *files, "--out", place / "m", *TINY, "--max-tokens", 5, "--json")
    assert done.json["validation"]["n"] == 20, done.err
    return place


def test_a_saved_model_is_audited_on_texts_to_test_on_alone(
    sightline: Call, folder: Path, here: Path
) -> None:
    columns = ("--id", "name", "--group", "who")
    done = sightline(
        "audit",
        "--model",
        folder / "m",
        "--test",
        folder / "c.jsonl",
        *columns,
        "--full",
        "--save",
        "s",
        "--quiet",
        "--json",
    )
    note, *others = done.err.splitlines()
    assert (done.code, others) == (0, ["report: report.html", "saved audit: s"])
    assert "40 test texts" in note
    card = done.json["cards"]["data"]
    assert {name: split["n"] for name, split in card["splits"].items()} == {
        "train": 0,
        "validation": 0,
        "test": 40,
    }
    assert done.json["cards"]["model"]["labels"] == ["neg", "pos"]
    spread = {
        name: one["method"]
        for name, one in done.json["estimates"].items()
        if one["n"] == 40 and not one["method"].startswith("all texts equal")
    }
    assert len(spread) > 10
    assert all("20 clusters of texts" in method for method in spread.values()), spread
    assert json.loads((here / "s" / "texts.jsonl").read_text().partition("\n")[0])["id"] == "n0"
    assert card["before_cutting"]["test"]["cut"] == 40  # to five words, as the model was trained
    assert "unlike_training" not in card


def test_a_model_is_trained_from_one_file_and_audited_on_another(
    sightline: Call, folder: Path, here: Path
) -> None:
    done = sightline(
        "train", "--train", folder / "a.csv", "--out", "m", *TINY, "--controls", "none", "--json"
    )
    assert done.code == 0, done.err
    assert done.json["validation"]["n"] == 8  # 15 % of the 30 of each label
    audited = ("audit", "--model", "m", "--test", folder / "c.jsonl", "--limit", "4", "--quiet")
    assert sightline(*audited).code == 0
    seen = sightline("audit", "--model", "m", "--test", folder / "a.csv")
    assert (seen.code, "used to train" in seen.err) == (2, True)
    assert sightline("check-model", "m", "--data", f"files:train={folder / 'a.csv'}").code == 0


@pytest.mark.parametrize("data", [("--data", "c.jsonl", "--split", "all"), ("--data", "t.csv")])
def test_every_row_may_be_a_test_text(
    sightline: Call, folder: Path, here: Path, data: tuple[str, ...]
) -> None:
    flag, name, *rest = data
    done = sightline(
        "audit", "--model", folder / "m", flag, folder / name, *rest, "--quiet", "--json"
    )
    assert done.json["cards"]["data"]["splits"]["test"]["n"] == 40
    assert done.json["metrics"]["accuracy"]["n"] == 40


def test_a_length_that_is_not_the_models_is_noted(
    sightline: Call, folder: Path, here: Path
) -> None:
    done = sightline(
        "audit",
        "--model",
        folder / "m",
        "--test",
        folder / "c.jsonl",
        "--max-tokens",
        4,
        "--quiet",
        "--json",
    )
    message = "texts are cut to 4 words (max_tokens), and the model was trained on texts cut to 5"
    assert f"note: {message}\n" in done.err
    assert done.json["cards"]["data"]["unlike_training"] == [message]


def test_words_beyond_those_of_the_training_are_cut_and_counted(
    sightline: Call, folder: Path, here: Path
) -> None:
    words = ("one two three four five six seven", "one two three four five")
    done = sightline("predict", folder / "m", *words, "--json")
    first, second = done.json
    assert (first["cut"], second["cut"]) == (2, 0)
    assert first["probabilities"] == second["probabilities"]
    assert done.err == "note: 1 text cut to 5 words (max_tokens)\n"
    assert sightline("predict", folder / "m", *words, "--max-tokens", "9", "--json").err == ""
    assert len(sightline("look", folder / "m", words[0], "--json").json["words"]) == 5


def test_places_may_begin_at_home(
    sightline: Call, folder: Path, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(here))
    Path("a.csv").write_bytes((folder / "a.csv").read_bytes())
    Path("c.jsonl").write_bytes((folder / "c.jsonl").read_bytes())
    named = ("--train=~/a.csv", "--test", "jsonl:~/c.jsonl", *TINY, "--controls", "none")
    done = sightline(
        "audit", *named, "--out=~/o/page.html", "--save=~/o/saved", "--card=~/o/card.md"
    )
    assert done.code == 0, done.err
    assert {one.name for one in Path("o").iterdir()} == {"page.html", "saved", "card.md"}
    assert not Path("~").exists()
    assert sightline("check-data", "--data", "csv:~/a.csv").code == 0
    assert load("~/a.csv", 0).test == load(here / "a.csv", 0).test
    found = Audit.load("~/o/saved")
    found.save("~/o/again")
    found.to_html("~/o/again.html")
    assert {"again", "again.html"} < {one.name for one in Path("o").iterdir()}
    assert not Path("~").exists()


def test_predictions_to_a_dash_are_printed(sightline: Call, folder: Path, here: Path) -> None:
    printed = sightline("predict", folder / "m", "good words")
    dashed = sightline("predict", folder / "m", "good words", "--out", "-")
    assert (dashed.code, dashed.out) == (0, printed.out)
    assert [*here.iterdir()] == []


def test_a_name_that_is_not_utf_8_does_not_cost_the_training(
    sightline: Call, folder: Path, here: Path
) -> None:
    name = os.fsdecode(b"r\xff.csv")
    Path(name).write_bytes((folder / "a.csv").read_bytes())
    done = sightline("train", "--data", name, *TINY, "--out", "m2", "--controls", "none")
    assert done.code == 0, done.err
    assert "r\\udcff.csv" in Path("m2", MODEL_FILE).read_text(encoding="utf-8")
    assert sightline("predict", "m2", "good words").code == 0
    audited = sightline(
        "audit", "--data", name, *TINY, "--controls", "none", "--save", "s", "--card", "c.md",
        *("--junit", "j.xml"),
    )  # fmt: skip
    assert audited.code == 0, audited.err
    assert sightline("report", "s", "--card", "c.html").code == 0


def test_what_a_model_remembers_is_taken_but_for_what_was_told(
    folder: Path, tmp_path: Path
) -> None:
    data = parse_data("a.csv", min_count=3)
    found = choose(data, str(folder / "m"), typed=())
    assert isinstance(found, SavedModel)
    assert (found.data.max_tokens, found.data.min_count) == (5, 1)
    assert choose(data, str(folder / "m"), typed=("max_tokens",)).data.max_tokens == 512
    assert choose(data, str(folder / "m")).data == data  # in Python a spec is what it says
    other = tmp_path / MODEL_FILE
    known = {"kind": "sst", "recipe": "paper", "max_tokens": 7}
    other.write_text(json.dumps({"training": {"run": {"run": {"data": known}}}}))
    assert prepared_alike(parse_data("sst:d"), other, ()).recipe == "paper"
    assert prepared_alike(data, other, ()).recipe == "clean"  # a recipe is that of one corpus
    for odd in (
        "[]",
        "{",
        '{"training": {"run": 3}}',
        '{"training": {"run": {"run": {"data": {"max_tokens": "x"}}}}}',
    ):
        other.write_text(odd)
        assert prepared_alike(data, other, ()) == data


REFUSED = {
    "both": (
        ("audit", "--data", "c.jsonl", "--test", "c.jsonl"),
        "--test: names texts, and --data does, too",
    ),
    "no test": (("audit", "--train", "a.csv"), "--test: no file of test texts; name one"),
    "validation": (
        ("train", "--validation", "a.csv", "--out", "x"),
        "--test: no file of test texts; name one",
    ),
    "no training": (
        ("audit", "--test", "c.jsonl"),
        "--train: no file of training texts; name one, or name a model that",
    ),
    "all": (
        ("audit", "--data", "c.jsonl", "--split", "all"),
        "--split: 'all' makes every row a test text; leave it out",
    ),
    "test rows": (
        ("audit", "--data", "t.csv"),
        "t.csv: no text is in train; name some, or leave the split column out",
    ),
    "a column": (
        ("check-data", "--test", "t.csv"),
        "t.csv:1: has a column 'split', and all of it was named as test",
    ),
    "a spec": (
        ("check-data", "--test", "planted:needle"),
        "--test: 'planted:needle': expected a file that ends in .csv",
    ),
    "twice": (
        ("check-data", "--train", "a.csv", "--test", "a.csv"),
        "--test: names a.csv, as --train does",
    ),
    "split": (
        ("check-data", "--test", "c.jsonl", "--split", "x"),
        "--split: 'x': each file is named for a split already",
    ),
    "input": (
        ("audit", "--train", "a.csv", "--test", "c.jsonl", "--out", "c.jsonl"),
        "--test and --out both name c.jsonl",
    ),
    "model": (
        ("train", "--train", "a.csv", "--test", "c.jsonl", "--out", "a.csv"),
        "--out a.csv: expected the name of a folder",
    ),
    "folder": (
        ("check-data", "--data", "folder:d", "--id", "x"),
        "--id x: folder has no columns to name; leave --id out",
    ),
    "corpus": (
        ("check-data", "--data", "sst:d", "--on-copies", "drop"),
        "--on-copies: this is about texts of your own; sst",
    ),
    "line": (("check-data", "--test", "bad.csv"), "bad.csv:3: expected a label in 'label'"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_files_cannot_be(
    sightline: Call, folder: Path, monkeypatch, no_training, name: str
) -> None:
    monkeypatch.chdir(folder)
    (folder / "bad.csv").write_text("text,label\na b,x\nc d,\n")
    before = {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    arguments, message = REFUSED[name]
    done = sightline(*arguments)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"error: {message}")
    assert {path: path.read_bytes() for path in folder.iterdir() if path.is_file()} == before


def test_check_data_lays_out_lengths_and_what_is_lost(sightline: Call, folder: Path) -> None:
    asked = (
        "check-data",
        "--train",
        folder / "a.csv",
        "--test",
        folder / "c.jsonl",
        "--max-tokens",
        6,
    )
    shown, card = sightline(*asked).out, sightline(*asked, "--json").json
    assert "before cutting  median  95 %  longest  texts cut  words lost\n" in shown
    assert card["before_cutting"]["test"] == {
        "median": 7,
        "q95": 7,
        "max": 7,
        "cut": 40,
        "lost": pytest.approx(1 / 7),
    }
    assert "test            7       7     7        40         14.3%" in shown
    alone = sightline("check-data", "--test", folder / "c.jsonl").out
    assert "note: no training texts: for a model that is trained already" in alone


STUDY = """
name = "s"
[base]
data = "files:train=own/a.csv,validation=own/b.csv,test=own/c.jsonl"
"data.group" = "{group}"
model = "mlp(hidden=4)"
fit.epochs = 1
measures = ["need"]
companions = []
[axes]
seed = [0, 1]
"""


def test_a_study_of_three_files(sightline: Call, folder: Path, here: Path) -> None:
    (here / "own").symlink_to(folder)
    file = here / "s.toml"
    file.write_text(STUDY.replace('"data.group" = "{group}"\n', ""))
    grid = read_grid(file)
    assert {Path(place).name for place in grid.specs[0].data.places} == {
        "a.csv",
        "b.csv",
        "c.jsonl",
    }
    done = sightline("study", file, "--store", "st", "--quiet")
    assert done.code == 0, done.err
    run = json.loads(next((here / "st" / "runs").rglob("summary.json")).read_text())
    assert run
    elsewhere = here / "there"
    elsewhere.mkdir()
    (elsewhere / "own").symlink_to(folder)
    (elsewhere / "s.toml").write_text(file.read_text())
    assert read_grid(elsewhere / "s.toml").keys == grid.keys
    assert sightline("study", file, "--store", "own/b.csv").code == 2
    file.write_text(STUDY.format(group="team"))
    done = sightline("study", file, "--store", "st", "--quiet")
    assert done.code == 2
    assert "there is no column 'team' to read as 'group'" in done.err
