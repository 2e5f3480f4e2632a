"""A folder of transformers with several labels from the command line: one audit a label."""

from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Xml

import numpy as np
import pytest
import torch

from sightline.audits.label_audits import LabelAudits
from sightline.cli.audit_output import show_audits
from sightline.cli.exit_codes import GATE_CLOSED
from sightline.cli.flag_groups import AuditReport, Console
from sightline.core.results import CAN, CANNOT_TELL, CAVEATS, MUST_NOT
from tests.adapters.huggingface.toys import WORDS, classifier, word_pieces
from tests.cli.conftest import Call
from tests.report.audits import audit
from tests.verdicts import reached

LABELS = ("one", "two", "rare")
TEXTS = 112


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a model that predicts two of its labels for half of the texts, and one for
    none, and a table that holds what it predicts.
    """
    place = tmp_path_factory.mktemp("labels")
    tokenizer = word_pieces()
    model = classifier("bert", 3, tokenizer, problem_type="multi_label_classification")
    model.config.id2label = dict(enumerate(LABELS))
    model.config.label2id = {name: number for number, name in enumerate(LABELS)}
    generator = np.random.default_rng(0)
    texts = [" ".join(generator.choice(WORDS, int(generator.integers(3, 6)))) for _ in range(TEXTS)]
    read = tokenizer(texts, padding=True, return_tensors="pt")
    with torch.no_grad():
        logits = model(input_ids=read["input_ids"], attention_mask=read["attention_mask"]).logits
        middle = logits.quantile(0.5, 0)  # between two texts, so that no logit is a tie
        model.classifier.bias -= middle
        model.classifier.bias[2] -= 100
    found = (logits > middle)[:, :2]
    model.save_pretrained(place / "model")
    tokenizer.save_pretrained(place / "model")
    rows = [
        f"{text},{';'.join(name for name, one in zip(LABELS, row, strict=False) if one)}"
        for text, row in zip(texts, found.tolist(), strict=True)
    ]
    (place / "notes.csv").write_text("\n".join(["text,codes", *rows]), encoding="utf-8")
    return place


def named(folder: Path) -> tuple[Any, ...]:
    data = ("--data", folder / "notes.csv", "--label", "codes")
    return ("audit", "--model", f"hf:{folder / 'model'}(layer=1,head=0)", *data)


def test_each_label_is_audited_and_written(sightline: Call, folder: Path, tmp_path: Path) -> None:
    out, saved, card = (tmp_path / one for one in ("page.html", "saved", "card.md"))
    found = sightline(
        *named(folder), "--out", out, "--save", saved, "--card", card, "--json", "--max-texts", 110,
        *("--junit", tmp_path / "junit.xml", "--budget", "20m"),
    )  # fmt: skip
    assert found.code == 0, found.err
    [estimate] = [line for line in found.err.splitlines() if line.startswith("Auditing ")]
    assert "up to 110 texts for each of 2 labels" in estimate
    assert "40 min in all" in estimate
    assert "note: by their labels" not in found.err
    output = found.json
    rows = {row["label"]: row for row in output["labels"]}
    assert [*rows] == [*LABELS]
    assert rows["rare"]["why"].startswith("too few positives: 0 of")
    assert rows["one"]["verdict"] == output["audits"]["one"]["verdict"]
    assert output["audits"]["two"]["metrics"]["accuracy"]["value"] > 0.95
    assert "label-001.html" in out.read_text(encoding="utf-8")
    assert (tmp_path / "page-labels" / "label-002.html").is_file()
    assert (saved / "label-002" / "audit.json").is_file()
    assert card.is_file()
    assert 'name="sightline, label two"' in (tmp_path / "junit.xml").read_text(encoding="utf-8")
    drawn = sightline("report", saved, "--out", tmp_path / "drawn.html", "--no-texts", "--json")
    assert drawn.code == 0, drawn.err
    assert drawn.json["headline"] == output["headline"]
    assert (tmp_path / "drawn-labels" / "label-001.html").is_file()
    assert sightline("card", saved).code == 0
    refused = sightline("card", saved, "--hub")
    assert refused.code == 2
    assert "label-001" in refused.err
    again = sightline(
        *named(folder), "--label-name", "one", "--out", out, "--save", saved, "--max-texts", 110,
        *("--fail-on", output["audits"]["one"]["verdict"].replace(" ", "-")),
    )  # fmt: skip
    assert again.code == GATE_CLOSED, again.err
    assert "'one': the verdict is" in again.err
    lines = again.out.splitlines()
    shown = output["audits"]["one"]["may_be_shown_for"]
    assert any(line.startswith("Next") for line in lines) == bool(shown)
    assert lines[0].startswith(
        "Attention by label (1 label), for texts predicted to have the label: "
    )
    assert sorted(one.name for one in (tmp_path / "page-labels").iterdir()) == ["label-001.html"]
    assert not (saved / "label-002").exists()


@pytest.mark.parametrize("flag", ["", "--no-texts", "--no-ids"])
def test_the_error_of_a_saved_label_is_printed_unless_a_flag_leaves_it_out(
    sightline: Call, tmp_path: Path, flag: str
) -> None:
    left = {"broken": "forward raised KeyError: 'SECRET'"}
    counts = {"positive": 9, "broken": 9}
    made = LabelAudits("m", {"positive": audit()}, left, counts, 40, failed=("broken",))
    saved = made.save(tmp_path / "saved")
    page = tmp_path / "page.html"
    done = sightline("report", saved, "--out", page, *filter(None, [flag]))
    assert done.code == 0, done.err
    said = (done.out, page.read_text(encoding="utf-8"))
    assert ["SECRET" in one for one in said] == [not flag, not flag]


def test_labels_without_an_audit_are_in_the_card_and_the_junit_file(
    sightline: Call, tmp_path: Path
) -> None:
    left = {"broken": "forward raised KeyError: 'SECRET'", "rare": "too few positives"}
    counts = {"positive": 9, "broken": 9, "rare": 0}
    some = {"positive": audit()}
    for number, audits in enumerate([some, {}]):
        why = left if audits else {**left, "positive": "too few positives"}
        made = LabelAudits("m", audits, why, counts, 40, failed=("broken",))
        saved, card, file = (tmp_path / f"{number}{end}" for end in ("", ".md", ".xml"))
        made.save(saved)
        line = ("report", saved, "--card", card, "--junit", file, "--out", tmp_path / "p.html")
        assert sightline(*line, "--no-texts").code == 0
        suites = {one.attrib["name"].split()[-1]: one for one in Xml.parse(file).getroot()}
        assert [suites["broken"].attrib[one] for one in ("errors", "skipped")] == ["1", "0"]
        assert [suites["rare"].attrib[one] for one in ("errors", "skipped")] == ["0", "1"]
        assert len(suites["broken"].findall("testcase/error")) == 1
        assert {*suites} == {*counts}
        shown = card.read_text(encoding="utf-8")
        assert made.headline in shown
        assert all(f"'{label}'" in shown for label in why)
        assert "SECRET" not in shown + file.read_text(encoding="utf-8")


def test_a_rare_label_that_is_asked_for_by_name_closes_the_gate(
    sightline: Call, folder: Path, tmp_path: Path
) -> None:
    saved, card = tmp_path / "saved", tmp_path / "card.md"
    line = (*named(folder), "--label-name", "rare", "--out", tmp_path / "p.html", "--max-texts", 90,
            "--save", saved, "--card", card)  # fmt: skip
    for gates, code in (
        (("must-not-be-shown", "cannot-tell"), GATE_CLOSED),
        (("must-not-be-shown",), 0),
    ):
        done = sightline(*line, *(part for gate in gates for part in ("--fail-on", gate)))
        assert done.code == code, done.err
        assert f"the data have {TEXTS} texts" in done.out
        assert "Attention by label (1 label): 'rare' could not be audited" in done.out
        assert "note: no split column: every row is a test text" in done.err
        assert "note: no text has the label 'rare' of the model" in done.err
    assert not (tmp_path / "p-labels").exists()
    # Without the card of an audit, the summary says how it was made, also from what was saved.
    written = card.read_text(encoding="utf-8")
    about = LabelAudits.load(saved).about
    assert {*about} == {"data", "seed", "version", "date", "command"}
    assert "--label-name rare" in about["command"]
    assert all(said in written for said in (*about.values(), "90 texts"))
    assert sightline("card", saved).out.strip() == written.strip()


def test_one_column_of_zeros_and_ones_is_its_label_or_refused(
    sightline: Call, folder: Path, tmp_path: Path
) -> None:
    rows = (folder / "notes.csv").read_text(encoding="utf-8").splitlines()[1:]
    found = ["text,one,other", *(f"{row.split(',')[0]},{int('one' in row)},0" for row in rows)]
    (tmp_path / "notes.csv").write_text("\n".join(found), encoding="utf-8")
    model, out = f"hf:{folder / 'model'}(layer=1,head=0)", tmp_path / "page.html"
    data = ("--data", tmp_path / "notes.csv", "--label")
    rare = ("--label-name", "rare", "--out", out, "--save", tmp_path / "saved", "--no-texts")
    for more in ((), ("--labels-sep", ";")):
        done = sightline("audit", "--model", model, *data, "one", *more, *rare)
        assert done.code == 0, done.err
        assert "note: the column 'one' holds 0 and 1 alone, so it was read as one label" in done.err
        assert "no text has the labels 'two', 'rare'" in done.err
        assert "holds the texts" not in done.err  # nothing of a text was saved
    assert sightline("check-model", model, *data, "one").code == 0
    (tmp_path / "label.csv").write_text("\n".join(found).replace("one", "label", 1))
    for command in (("audit", "--out", out, "--model", model), ("check-model", model)):
        refused = sightline(*command, "--data", tmp_path / "label.csv")
        assert refused.code == 2
        assert '--label-map "0=one,1=two"' in refused.err
    checked = sightline("check-data", *data, "one", "--labels-sep", ";", "--json")
    assert [*checked.json["splits"]["test"]["labels"]] == ["one"]


def test_the_card_is_the_next_step_only_where_attention_may_be_shown_for_a_class(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for level, advised in ((CAN, True), (CANNOT_TELL, False)):
        classes = {"positive": reached(level, 1), "negative": reached(MUST_NOT, 2)}
        together = replace(audit(), verdict=reached(CAVEATS, 3, (), (), classes))
        made = LabelAudits("m", {"positive": together}, {}, {"positive": 60}, 800)
        show_audits(made, AuditReport(), Console())
        assert ("--card" in capsys.readouterr().out) == advised


def test_a_dry_run_counts_every_label(sightline: Call, folder: Path, tmp_path: Path) -> None:
    found = sightline(*named(folder), "--dry-run", "--json", "--out", tmp_path / "page.html")
    assert found.code == 0, found.err
    assert "2 labels, one after the other" in found.json["basis"]
    assert found.json["audits"] == 2
    one = sightline(*named(folder), "--dry-run", "--json", "--label-name", "two", "--out", "p.html")
    assert "one after the other" not in one.json["basis"]
    spec = ("--model", "cnn(channels=2)+labelwise", "--controls", "none", "--epochs", "1")
    data = ("--data", folder / "notes.csv", "--label", "codes", "--out", tmp_path / "page.html")
    some = sightline("audit", *spec, *data, "--dry-run", "--json", "--label-name", "two")
    assert "one after the other" not in some.json["basis"]
    both = sightline("audit", *spec, *data, "--dry-run", "--json")
    assert "2 labels, one after the other" in both.json["basis"]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--label-name", "four"), "--label-name"),
        (("--label-map", "one=none"), "no class"),
        (("--labels-sep", "|"), "say which is which with --label-map "),
    ],
)
def test_what_does_not_fit_is_refused(
    sightline: Call, folder: Path, tmp_path: Path, more: tuple[str, ...], said: str
) -> None:
    out = tmp_path / "page.html"
    found = sightline(*named(folder), *more, "--out", out)
    assert found.code == 2
    assert said in found.err
    assert not out.exists()


@pytest.mark.parametrize("more", [("--label-name", "a"), ("--labels-sep", ";")])
def test_a_model_that_predicts_one_class_takes_no_labels(
    sightline: Call, tmp_path: Path, more: tuple[str, str]
) -> None:
    (tmp_path / "a.csv").write_text("text,label\none,a\ntwo,b\n", encoding="utf-8")
    found = sightline("audit", "--data", tmp_path / "a.csv", *more, "--out", tmp_path / "page.html")
    assert found.code == 2
    assert more[0] in found.err


def test_all_labels_are_predicted_and_one_is_looked_at(sightline: Call, folder: Path) -> None:
    model = f"hf:{folder / 'model'}"
    found = sightline("predict", model, folder / "notes.csv", "--json")
    assert found.code == 0, found.err
    rows = (folder / "notes.csv").read_text(encoding="utf-8").splitlines()[1:]
    assert [one["predicted"] for one in found.json] == [row.split(",")[1] for row in rows]
    assert [*found.json[0]["probabilities"]] == [*LABELS]
    looked = sightline("look", model, "the film was good", "--label-name", "two", "--json")
    assert looked.code == 0, looked.err
    assert [*looked.json["probabilities"]] == ["not two", "two"]
    unnamed = sightline("look", model, "the film was good")
    assert unnamed.code == 2
    assert "--label-name" in unnamed.err
    assert "'rare'" in unnamed.err


def test_the_first_label_is_checked_for_all(sightline: Call, folder: Path) -> None:
    named = (f"hf:{folder / 'model'}(layer=1,head=0)", "--json")
    for data in ((), ("--data", folder / "notes.csv", "--label", "codes")):
        found = sightline("check-model", *named, *data)
        assert found.code == 0, found.err
        assert found.json["passed"]
        assert found.json["model"] == "model: one"


def test_a_model_with_several_labels_is_trained_and_audited_by_one_command(
    sightline: Call, folder: Path, tmp_path: Path
) -> None:
    model = ("--model", "cnn(channels=2)+labelwise", "--epochs", "1")
    data = ("--data", folder / "notes.csv", "--label", "codes", "--out", tmp_path / "page.html")
    seeds = sightline("audit", *model, *data, "--seeds", "2")
    assert seeds.code == 2
    assert "--seeds" in seeds.err
    unknown = sightline("audit", *model, *data, "--label-name", "four", "--controls", "none")
    assert unknown.code == 2
    assert "--label-name" in unknown.err
    found = sightline("audit", *model, *data, "--controls", "none", "--json")
    assert found.code == 0, found.err
    assert [row["label"] for row in found.json["labels"]] == ["one", "two"]
    assert found.json["texts"] < TEXTS


def test_classes_that_look_like_several_labels_are_named_before_a_training(
    sightline: Call, folder: Path, tmp_path: Path
) -> None:
    rows = [f"words {n} here,{('a', 'b', 'a;b')[n % 3]}\n" for n in range(60)]
    (tmp_path / "joined.csv").write_text("".join(["text,label\n", *rows]), encoding="utf-8")
    data = ("--data", tmp_path / "joined.csv")
    checked = sightline("check-data", *data)
    assert "--labels-sep ';'" in checked.out
    (tmp_path / "rare.csv").write_text(
        "".join(["text,label\n", *rows, "x,b;a\n"]), encoding="utf-8"
    )
    refused = sightline("check-data", "--data", tmp_path / "rare.csv")
    assert refused.code == 2
    assert "--labels-sep ';' reads them" in refused.err  # a shell ends a command at a bare ;
    trained = sightline("train", *data, "--model", "mlp(hidden=2)+additive", "--epochs", "1",
                        "--controls", "none", "--out", tmp_path / "model")  # fmt: skip
    assert trained.code == 0, trained.err
    assert "--labels-sep ';'" in trained.err
    assert "2 parts" in trained.err


def test_scores_are_checked_against_the_texts_with_all_labels(
    sightline: Call, folder: Path, tmp_path: Path
) -> None:
    texts = (folder / "notes.csv").read_text(encoding="utf-8").splitlines()[1:]
    rows = [
        f"notes.csv:{line},{word},1"
        for line, text in enumerate(texts, 2)
        for word in text.partition(",")[0].split()
    ]
    scores = tmp_path / "scores.csv"
    for written, code in ((rows, 0), (rows[1:], 2)):
        scores.write_text("\n".join(["id,word,score", *written]))
        found = sightline(*named(folder), "--scores", scores, "--dry-run")
        assert found.code == code, found.err
