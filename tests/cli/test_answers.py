"""Commands on a model of which only answers are known, and what they refuse."""

import csv
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sightline.audits.audit_storage import load_results
from sightline.core.results import CANNOT_TELL, CAVEATS
from tests.cli.conftest import Call
from tests.planted.answering import LABELS, texts

CODE = """
import numpy as np
from tests.planted.answering import LABELS, by_cue, of_cue

def predict(texts):
    return by_cue(texts)

predict.labels = LABELS

def scored(texts):
    return by_cue(texts)

scored.labels, scored.scores = LABELS, of_cue

def nan(texts):
    return by_cue(texts) * np.nan

nan.labels = LABELS

def down(texts):
    raise ConnectionError("the endpoint is down")

down.labels = LABELS

def strangers(texts):
    return by_cue(texts)

strangers.labels = ("good", "bad")
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with the functions, a table of texts, and scores of their words."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path, str(Path(__file__).resolve().parents[2])])
    (tmp_path / "answering_here.py").write_text(CODE)
    with (tmp_path / "texts.csv").open("w", newline="") as file:
        rows = [(one.text, LABELS[one.label]) for one in texts(100).test]
        csv.writer(file).writerows([("text", "label"), *rows])
    with (tmp_path / "scores.csv").open("w", newline="") as file:
        rows = [
            (f"texts.csv:{line}", word, -1.0 if word == "cuealpha" else float(word == "cuebeta"))
            for line, one in enumerate(texts(100).test, 2)
            for word in one.tokens
        ]
        csv.writer(file).writerows([("id", "word", "score"), *rows])
    yield tmp_path
    sys.modules.pop("answering_here", None)


def audit(sightline: Call, name: str, *more: str):
    return sightline(
        "audit", "--model", f"answers:answering_here:{name}", "--data", "texts.csv",
        "--split", "all", "--out", "report.html", "--save", "saved", "--quiet", *more,
    )  # fmt: skip


def test_a_function_with_scores_is_audited_by_them(sightline: Call, here: Path) -> None:
    ran = audit(sightline, "scored", "--json")
    assert ran.code == 0, ran.err
    assert ran.json["verdict"] == CAVEATS
    assert ran.json["verdict_detail"]["of_map"] == "the score map"
    asked = ran.json["cards"]["model"]["answers"]
    assert asked["texts_asked"] > 1000
    page = (here / "report.html").read_text(encoding="utf-8")
    assert "The score map can be shown as an explanation of this model, with caveats." in page
    assert "Can the score map be shown as an explanation of this model?" in page
    assert "Attention must" not in page


def test_scores_of_a_file_are_the_audited_map(sightline: Call, here: Path) -> None:
    assert audit(sightline, "predict", "--scores", "scores.csv").code == 0
    found = load_results(here / "saved")
    assert found.verdict.level == CAVEATS
    assert found.verdict.of_map == "the score map"
    assert "scores.csv" in found.cards["model"]["reading"]
    assert {row.name for row in found.maps} >= {"attention", "signed_given"}


def test_a_function_alone_is_audited_by_leave_one_out_until_its_verdict_is_settled(
    sightline: Call, here: Path
) -> None:
    ran = audit(sightline, "predict", "--max-texts", "80")
    assert ran.code == 0, ran.err
    found = load_results(here / "saved")
    assert found.verdict.level == CANNOT_TELL
    assert found.spec["sequential"]["planned"] == 80


def test_other_commands_take_it(sightline: Call, here: Path) -> None:
    name = "answers:answering_here:scored"
    checked = sightline("check-model", name, "--data", "texts.csv", "--json")
    assert (checked.code, checked.json["passed"]) == (0, True)
    look = sightline("look", name, "w1 cuebeta w2", "--json")
    assert [word["attention"] for word in look.json["words"]] == [0.0, 1.0, 0.0]
    predicted = sightline("predict", name, "w1 cuebeta w2", "--json")
    assert predicted.json[0]["predicted"] == "beta"
    forecast = sightline(
        "audit", "--model", name, "--data", "texts.csv", "--split", "all", "--dry-run"
    )
    assert "texts to ask the model" in forecast.out
    assert "answers:package.module:function" in sightline("list", "models").out


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nan", "expected finite probabilities"),
        ("down", "ConnectionError: the endpoint is down"),
        ("strangers", "good"),
        ("missing", "has no missing"),
    ],
)
def test_what_does_not_answer_is_refused_and_nothing_is_written(
    sightline: Call, here: Path, name: str, message: str
) -> None:
    ran = audit(sightline, name)
    assert ran.code == 2
    assert message in ran.err
    assert not (here / "report.html").exists()
    assert not (here / "saved").exists()


def test_scores_of_some_texts_are_refused(sightline: Call, here: Path) -> None:
    rows = (here / "scores.csv").read_text().splitlines()
    (here / "scores.csv").write_text("\n".join(rows[:-20]) + "\n")
    ran = audit(sightline, "predict", "--scores", "scores.csv")
    assert ran.code == 2
    assert "--scores: expected scores of all 100 audited texts" in ran.err
