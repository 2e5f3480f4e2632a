"""One command, a folder of transformers and a file of texts and labels 0 and 1: every row is
audited.
"""

import csv
import json
import random
from pathlib import Path

import pytest

from sightline.cli.app import run
from tests.adapters.huggingface.toys import WORDS, classifier, whole_words


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A BERT with random weights and the names of classes that transformers gives, and 200 rows."""
    place = tmp_path_factory.mktemp("hf")
    tokenizer = whole_words(WORDS)
    classifier("bert", tokenizer=tokenizer).save_pretrained(place / "bert")
    tokenizer.save_pretrained(place / "bert")
    drawn = random.Random(0)
    with (place / "reviews.csv").open("w", encoding="utf-8", newline="") as file:
        rows = [
            (" ".join(drawn.choices(WORDS, k=drawn.randrange(3, 9))), i % 2) for i in range(200)
        ]
        csv.writer(file).writerows([("text", "label"), *rows])
    return place


def audit(folder: Path, *flags: object, data: Path | None = None) -> int:
    model, data = f"hf:{folder / 'bert'}", data or folder / "reviews.csv"
    words = ("audit", "--model", model, "--data", data, "--out", folder / "page.html", *flags)
    return run([str(word) for word in words])


@pytest.mark.slow
def test_every_row_is_audited_and_an_estimate_comes_first(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert audit(folder, "--full", "--json") == 0
    said = capsys.readouterr()
    output = json.loads(said.out)
    card = output["cards"]["data"]
    assert {name: split["n"] for name, split in card["splits"].items()} == {
        "train": 0,
        "validation": 0,
        "test": 200,
    }
    assert output["metrics"]["accuracy"]["n"] == 200
    assert card["labels_read"] == {"0": "LABEL_0", "1": "LABEL_1"}
    assert card["splits"]["test"]["labels"] == {"LABEL_0": 100, "LABEL_1": 100}
    first, second, estimate, *_ = said.err.splitlines()
    assert first == "note: no split column: every row is a test text"
    assert second.startswith("note: labels 0, 1 ")
    assert estimate.startswith(f"Auditing 200 texts with hf:{folder / 'bert'}, every test ")
    assert "--limit" in estimate
    page = (folder / "page.html").read_text(encoding="utf-8")
    assert all(f"{one[6].upper()}{one[7:]}." in page for one in (first, second))


def test_what_is_quiet_says_how_data_were_read_and_no_time(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert audit(folder, "--limit", 8, "--quiet", "--json") == 0
    said = capsys.readouterr()
    assert [line.partition(":")[0] for line in said.err.splitlines()] == [
        *["note"] * 3,
        "report",
    ]
    assert json.loads(said.out)["cards"]["data"]["sample"]["of"] == 200


@pytest.mark.slow
def test_an_estimate_of_cost_is_of_every_row(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert audit(folder, "--dry-run", "--json") == 0
    assert "of 200 test texts" in json.loads(capsys.readouterr().out)["basis"]


@pytest.mark.slow
def test_a_reading_is_chosen_without_validation_texts(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A few rows of each class choose, others are audited, and no mixture of heads is among what is
    tried.
    """
    assert audit(folder, "--attention", "all", "--limit", 40, "--quiet", "--json") == 0
    output = json.loads(capsys.readouterr().out)
    readings = output["spec"]["readings"]
    assert (readings["texts"], readings["learned_from"], readings["shares"]) == (10, 0, {})
    assert len(readings["tried"]) == 2 * 4 + 3 * 2 + 1
    assert any("no mixture of heads" in note for note in output["cards"]["data"]["notes"])


@pytest.mark.parametrize(
    "labels", [pytest.param(("0.0", "1.0"), marks=pytest.mark.slow), ("label_0", "Label_1")]
)
def test_labels_as_other_tools_write_them(
    folder: Path, tmp_path: Path, labels: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    with (tmp_path / "t.csv").open("w", encoding="utf-8", newline="") as file:
        rows = [(f"{WORDS[i % 20]} film {WORDS[i // 2]}", labels[i % 2]) for i in range(10)]
        csv.writer(file).writerows([("text", "label"), *rows])
    assert audit(folder, "--quiet", "--json", data=tmp_path / "t.csv") == 0
    card = json.loads(capsys.readouterr().out)["cards"]["data"]
    assert card["labels_read"] == dict(zip(labels, ("LABEL_0", "LABEL_1"), strict=True))
