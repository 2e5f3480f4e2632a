"""`sightline audit`, `train` and `report`: the same numbers whichever way they are reached."""

import contextlib
import json
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as Xml

import numpy as np
import pytest

from sightline.audits.audit_result import Audit
from sightline.audits.audit_storage import load_results, save_results
from sightline.core.results import Measurement, Ragged
from sightline.verdict.catalogue import AUDIT_TESTS
from tests.cli.conftest import TINY, Call, Finished, write_table

CUT_SHORT = (
    "note: the cap on epochs ended the training of: model, control model (uniform attention); "
    "--epochs allows more"
)
ASK = """
import sys
from sightline.cli.app import run
code = run(sys.argv[1:])
heavy = {"torch._dynamo", "scipy.stats", "matplotlib"} & set(sys.modules)
sys.exit(f"{heavy} loaded" if heavy else code)
"""
ESTIMATE = {"value", "low", "high", "n", "method"}


def raw(folder: Path) -> dict[str, np.ndarray]:
    """Every raw number of a saved audit, by measure and quantity."""
    out = {}
    for name, one in load_results(folder).measurements.items():
        if isinstance(one, Measurement):
            out |= {
                f"{name}.{q}": v.flat if isinstance(v, Ragged) else v for q, v in one.values.items()
            }
    return out


def test_an_audit_writes_a_page_and_a_folder(finished: Finished):
    assert finished.ran.code == 0
    assert finished.page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert sorted(path.name for path in finished.saved.iterdir()) == [
        "SHA256SUMS",
        "arrays.npz",
        "audit.json",
        "texts.jsonl",
    ]
    assert finished.ran.err.splitlines() == [
        CUT_SHORT,
        f"report: {finished.page}",
        f"saved audit: {finished.saved}",
    ]
    assert sorted(path.name for path in finished.page.parent.iterdir()) == ["audit", "report.html"]


def test_the_json_is_strict_and_keeps_its_promises(finished: Finished):
    output = finished.ran.json
    assert {"schema", "verdict", "findings", "estimates", "metrics", "undefined"} <= set(output)
    assert {"chance", "above_chance", "classes", "words_cut", "converged"} <= set(output["learned"])
    assert set(output["learned"]["classes"]["neg"]["texts"]) == ESTIMATE
    assert output["verdict"] == "cannot tell"
    assert set(output["metrics"]["accuracy"]) == ESTIMATE
    for finding in output["findings"]:
        assert {"code", "name", "result", "reason", "score"} <= set(finding)
    assert output["estimates"]
    assert all(set(estimate) == ESTIMATE for estimate in output["estimates"].values())
    assert (
        output["metrics"]["accuracy"]["n"] == output["cards"]["data"]["splits"]["test"]["n"] == 18
    )


def test_the_json_on_stdout_is_the_audit_that_was_saved(finished: Finished):
    saved = json.loads((finished.saved / "audit.json").read_text(encoding="utf-8"))
    output = finished.ran.json
    assert output["headline"] == output["verdict"]  # no class has an answer of its own
    assert output.items() <= saved.items()


def test_the_lines_tell_verdict_findings_and_places(sightline: Call, here: Path, table):
    done = sightline("audit", "--data", table, *TINY)
    lines = done.out.splitlines()
    assert lines[0] == "VERDICT   These texts cannot tell whether attention explains this model."
    assert listed_tests(lines) == []  # nothing can be concluded of so few texts
    assert lines[-2] == "Report    report.html"
    assert lines[-1].startswith("Next      ")
    assert "--card" not in lines[-1]  # there is nothing to show yet
    assert done.err == f"{CUT_SHORT}\n"  # though so few epochs were asked for


def listed_tests(lines: list[str]) -> list[str]:
    """The codes of the tests that are listed."""
    row = re.compile(r"  (?:passed|failed|inconclusive|not run) .*\((SL-\d+)\) ")
    return [found[1] for line in lines if (found := row.match(line))]


def test_verbose_lists_every_test(sightline: Call, here: Path, table):
    done = sightline("audit", "--data", table, *TINY, "--verbose", "--title", "Mine <b>")
    assert sorted(listed_tests(done.out.splitlines())) == sorted(AUDIT_TESTS)
    assert "<h1><bdi>Mine &lt;b&gt;</bdi></h1>" in Path("report.html").read_text(encoding="utf-8")


def test_an_attribution_of_captum_is_named_in_place_of_a_file(sightline: Call, here: Path, table):
    done = sightline("audit", "--data", table, *TINY, "--scores", "captum:InputXGradient", "--json")
    assert done.json["spec"]["scores"]["file"] == "captum:InputXGradient"
    assert "given" in {one["name"] for one in done.json["maps"]}
    for also in ((), ("--dry-run",)):
        done = sightline("audit", "--data", table, *TINY, "--scores", "captum:Guess", *also)
        assert (done.code, done.out) == (2, "")
        assert done.err.startswith(
            "error: --scores: captum:Guess: expected one of captum:DeepLift, captum:Feature"
        )


def test_scores_of_another_tool_are_read_and_what_does_not_fit_is_told(
    sightline: Call, here: Path, table, finished: Finished
):
    texts = load_results(finished.saved).texts
    rows = [{"id": text.id, "word": word, "score": 1} for text in texts[1:] for word in text.tokens]
    rows.append({"id": "no text", "word": "word", "score": 1})
    Path("scores.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    done = sightline("audit", "--data", table, *TINY, "--scores", "scores.jsonl", "--json")
    assert done.json["spec"]["scores"]["texts"] == len(texts) - 1
    assert done.err.splitlines() == [
        CUT_SHORT,
        "note: scores.jsonl: 1 of the ids with scores name no text of this audit",
        "note: scores.jsonl: 1 audited texts have no scores, and are undefined in that map",
        "report: report.html",
    ]
    Path("scores.jsonl").write_text(json.dumps(rows[0] | {"word": "other"}), encoding="utf-8")
    for also in ((), ("--dry-run",)):
        done = sightline("audit", "--data", table, *TINY, "--scores", "scores.jsonl", *also)
        assert done.code == 2
        assert done.err.startswith(
            f"error: scores.jsonl:1: text {texts[1].id!r}, word 0 (from 0): expected"
        )
    assert sightline("audit", "--data", table, *TINY, "--scores", "s.npy").err.startswith(
        "error: --scores: s.npy: exp"
    )


def test_a_saved_audit_is_drawn_again_byte_by_byte(sightline: Call, here: Path, finished: Finished):
    done = sightline("report", finished.saved, "--out", "again.html")
    assert (done.code, done.out) == (0, "Verdict: cannot tell\nreport: again.html\n")
    assert Path("again.html").read_bytes() == finished.page.read_bytes()
    verdict = load_results(finished.saved).verdict
    assert sightline("report", finished.saved, "--json").json == {
        "report": "report.html",
        "verdict": "cannot tell",
        "by_class": {of: one.level for of, one in verdict.by_class.items()},
    }


def test_a_report_may_lie_in_the_folder_of_its_audit_again_and_again(
    sightline: Call, here: Path, table
):
    for _ in range(2):
        assert (
            sightline("audit", "--data", table, *TINY, "--save", "a", "--out", "a/report.html").code
            == 0
        )
        assert Path("a/report.html").exists()
        assert Path("a/audit.json").exists()


def test_no_texts_leaves_the_texts_out(sightline: Call, here: Path, table, finished: Finished):
    word = "zyx"  # each text has a word of its own that begins so
    assert word in finished.page.read_text(encoding="utf-8")
    assert sightline("report", finished.saved, "--no-texts").code == 0
    assert word not in Path("report.html").read_text(encoding="utf-8")
    assert sightline("audit", "--data", table, *TINY, "--no-texts", "--out", "fresh.html").code == 0
    assert word not in Path("fresh.html").read_text(encoding="utf-8")


def test_no_texts_leaves_out_what_a_failed_measure_said(
    sightline: Call, here: Path, table, monkeypatch: pytest.MonkeyPatch
):
    """The message may quote a text, and every output of an audit can repeat it."""

    def quoting(self, subject, trace, seeds):
        raise ValueError(f"cannot read {subject.texts[0].text!r}")

    monkeypatch.setattr("sightline.measures.removal.Removal.on_batch", quoting)
    # A test of this measure decides, and is a gate; the second audit decides one text otherwise.
    asked = ("audit", "--data", table, *TINY, "--limit", 8, "--fail-on", "SL-301")
    files = ("--card", "card.md", "--junit", "j.xml", "--no-texts", "--verbose")
    said = [sightline(*asked, "--save", "a", *files)]
    assert said[0].code == 3
    assert "ValueError" not in sightline("report", "a", *files[:-1]).out
    found = load_results("a")
    assert "zyx" in found.measurements["erasure"].error
    turned = [
        replace(one, predicted="neg" if one.predicted == "pos" else "pos") for one in found.texts
    ]
    save_results(replace(found, texts=tuple(turned)), "b")
    said.append(sightline(*asked, "--json", "--no-texts"))
    said.append(sightline("compare", "a", "b", "--no-texts", "--no-ids"))
    said.append(sightline("compare", "a", "b", "--json", "--no-texts", "--no-ids"))
    assert sightline("export", "a", "--csv", "tables", "--no-texts").code == 0
    Audit.load("a").export("by-python", texts=False)
    pages = ("report.html", "card.md", "j.xml", "compare.html")
    columns = ("tables/columns.json", "by-python/columns.json")
    written = [Path(name).read_text(encoding="utf-8") for name in (*pages, *columns)]
    outputs = [*(one.out + one.err for one in said), *written]
    assert sum("erasure" in one for one in outputs) >= 4
    assert not any("zyx" in one for one in outputs)
    differing = said[-1].json["beside"][0]["otherwise"]
    assert [one["id"] for one in differing] == [str(number) for number in range(1, 9)]


def test_no_ids_numbers_the_texts(sightline: Call, here: Path, finished: Finished):
    ids = [text.id for text in load_results(finished.saved).texts]
    assert sightline("report", finished.saved, "--no-texts", "--no-ids").code == 0
    page = Path("report.html").read_text(encoding="utf-8")
    assert not any(f'"{one}"' in page or f"<bdi>{one}</bdi>" in page for one in ids)
    assert "their numbers in the order of the audit" in page


def test_who_saves_what_the_report_leaves_out_is_told(sightline: Call, here: Path, table):
    flags = ("--limit", 5, "--save", "a")
    result = sightline("audit", "--data", table, *TINY, *flags, "--no-texts").err.splitlines()
    assert result[1:] == [
        "note: a holds the texts that the report leaves out: share the report, not that folder"
    ]
    result = sightline(
        "audit", "--data", table, *TINY, *flags, "--no-texts", "--no-ids"
    ).err.splitlines()
    assert "a holds the texts and ids that" in result[-1]
    assert sightline("audit", "--data", table, *TINY, *flags).err.splitlines()[1:] == [CUT_SHORT]


def test_a_card_is_written_beside_the_report(sightline: Call, here: Path, finished: Finished):
    for name, begins in (("card.md", "**Attention audit"), ("card.HTML", "<article>")):
        assert sightline("report", finished.saved, "--card", name).code == 0
        card = Path(name).read_text(encoding="utf-8")
        assert card.startswith(begins)
        assert "Cannot tell" in card
        assert re.search(r"Date: \d{4}-\d\d-\d\d\b", card)
        assert "zyx" not in card
    Path("report.html").unlink()
    for command in (("report", finished.saved), ("audit", "--data", "missing.csv")):
        done = sightline(*command, "--card", "card.txt")
        assert done.code == 2
        assert done.err.startswith(
            "error: --card: card.txt: expected a name that ends in .md or .html"
        )
    assert not Path("report.html").exists()
    assert sightline("report", finished.saved, "--card", "report.html").code == 2


def test_build_servers_read_what_a_gate_closes_on(sightline: Call, here: Path, finished: Finished):
    again = finished.page.read_bytes()
    assert sightline("report", finished.saved, "--junit", "audit.xml").code == 0
    assert Path("report.html").read_bytes() == again
    (suite,) = Xml.parse("audit.xml").getroot()
    found = Audit.load(finished.saved)
    cases = [*suite.iter("testcase")]
    assert {one.title for one in found.findings} < {one.get("name") for one in cases}
    assert int(suite.get("tests")) == len(cases)
    Path("audit.xml").unlink()
    Path("report.html").unlink()
    assert sightline("report", finished.saved, "--junit", "report.html").code == 2
    assert [*here.iterdir()] == []


def test_a_page_is_called_html(sightline: Call, here: Path, finished: Finished):
    for command in (
        ("report", finished.saved),
        ("audit", "--data", "planted:needle"),
        ("compare", finished.saved, finished.saved),
    ):
        for name in ("x.pdf", "x"):
            done = sightline(*command, "--out", name)
            message = (
                f"error: --out: {name}: expected a name that ends in .html; a page is written as "
                "HTML\n"
            )
            assert (done.code, done.err) == (2, message)
    assert not any(here.iterdir())
    assert sightline("report", finished.saved, "--out", "x.HTM").code == 0


def test_the_report_says_which_command_made_it(sightline: Call, here: Path, table):
    done = sightline("audit", "--data", table, *TINY, "--json")
    assert done.json["spec"]["command"] == (
        f"sightline audit --data {table} --model 'mlp(hidden=8)+additive' --epochs 2 --quiet "
        "--json --threads 1"
    )
    assert "mlp(hidden=8)+additive" in Path("report.html").read_text(encoding="utf-8")


def test_limit_takes_a_sample_and_says_so(sightline: Call, here: Path, table, finished: Finished):
    done = sightline("audit", "--data", table, *TINY, "--limit", 5, "--save", "few", "--json")
    output = done.json
    assert output["metrics"]["accuracy"]["n"] == 5
    assert output["cards"]["data"]["sample"] == {"n": 5, "of": 18, "seed": 0}
    assert "a sample of 5 of 18 test texts" in Path("report.html").read_text(encoding="utf-8")
    whole, few = load_results(finished.saved), load_results("few")
    assert {text.id for text in few.texts} < {text.id for text in whole.texts}


def test_without_a_companion_its_measure_is_not_applicable(sightline: Call, here: Path, table):
    output = sightline("audit", "--data", table, *TINY, "--controls", "none", "--json").json
    assert output["not_run"]["retrained"] == "needs a control model (uniform)"


@pytest.mark.slow
def test_a_dear_measure_is_taken_beside_the_others(
    sightline: Call, here: Path, table, model, finished: Finished
):
    """Of a model to be trained and of a saved one alike; the others stay as they are, to the
    bit.
    """
    asked = ("--measure", "mixing_otherwise", "--full")
    assert (
        sightline("audit", "--data", table, "--model", model, *asked, "--save", "saved").code == 0
    )
    assert sightline("audit", "--data", table, *TINY, *asked, "--save", "trained").code == 0
    plain = load_results(finished.saved)
    for folder in ("saved", "trained"):
        found = load_results(folder)
        assert set(found.measurements) == {*plain.measurements, "mixing_otherwise"}
        assert isinstance(found.measurements["mixing_otherwise"], Measurement)
    first, second = raw(Path("trained")), raw(finished.saved)
    assert set(first) > set(second)
    for name in second:
        np.testing.assert_array_equal(first[name], second[name], err_msg=name)
    done = sightline(
        "audit", "--data", table, "--model", model, "--measure", "information", "--dry-run"
    )
    assert "what information does with all texts" in done.out
    refused = sightline("audit", "--data", table, *TINY, "--measure", "mutual")
    assert refused.code == 2
    assert "--measure: mutual: expected one of information, input_information" in refused.err
    for default in ("mixing", "agreement"):  # naming them would change nothing
        refused = sightline("audit", "--data", table, *TINY, "--measure", default)
        assert refused.code == 2
        assert f"--measure: {default}: " in refused.err


@pytest.mark.slow
def test_gradients_are_reduced_as_the_flag_says(
    sightline: Call, here: Path, table, model, finished: Finished
):
    """Of a model to be trained and of a saved one alike; everything but the gradients stays."""
    norms = ("--gradient", "norm", "--full")
    done = sightline("audit", "--data", table, "--model", model, *norms, "--save", "later")
    assert done.code == 0, done.err
    assert sightline("audit", "--data", table, *TINY, *norms, "--save", "norm").code == 0
    later, norm = (
        load_results("later").measurements["agreement"],
        load_results("norm").measurements["agreement"],
    )
    assert later.settings["gradient"] == norm.settings["gradient"] == "norm"
    assert load_results(finished.saved).measurements["agreement"].settings["gradient"] == "input"
    first, second = raw(Path("norm")), raw(finished.saved)
    assert np.abs(first["agreement.gradient"] - second["agreement.gradient"]).max() > 1e-6
    np.testing.assert_allclose(first["agreement.deletion"], second["agreement.deletion"], atol=1e-6)
    assert "as in Meister et al. (2021)" in Path("report.html").read_text(encoding="utf-8")
    assert sightline("audit", "--data", table, *TINY, "--gradient", "sum").code == 2


@pytest.mark.slow
def test_memory_changes_the_speed_and_not_the_numbers(
    sightline: Call, here: Path, table, finished: Finished, monkeypatch
):
    asked = []
    from sightline.measures.default_measures import default_measures

    def seen(tokens_at_once, *others):
        asked.append(tokens_at_once)
        return default_measures(tokens_at_once, *others)

    monkeypatch.setattr("sightline.experiments.pipeline.default_measures", seen)
    every = ("audit", "--data", table, *TINY, "--full")
    assert sightline(*every, "--memory", "1M", "--save", "small").code == 0
    assert sightline("audit", "--data", table, *TINY, "--memory", "1.5 GiB", "--limit", 2).code == 0
    assert sightline("audit", "--data", table, *TINY, "--limit", 2).code == 0
    # 16 KiB a token; where nothing is said, the kind of model decides
    assert asked == [64, 98304, None]
    small, whole = raw(Path("small")), raw(finished.saved)
    assert small.keys() == whole.keys()
    for name in small:
        if name.startswith("agreement.deletion"):
            np.testing.assert_allclose(small[name], whole[name], atol=1e-6)


@pytest.fixture(scope="module")
def model(sightline: Call, table: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("trained") / "model"
    done = sightline("train", "--data", table, *TINY, "--out", folder)
    assert done.code == 0, done.err
    assert done.out.splitlines()[0] == "epochs: kept 2 of 2"
    assert done.out.splitlines()[1].startswith("validation accuracy: 0.")
    assert done.out.splitlines()[2] == f"model: {folder}"
    return folder


def test_training_first_and_auditing_later_gives_the_same_raw_numbers(
    sightline: Call, here: Path, table, model, finished: Finished
):
    assert (
        sightline(
            "audit", "--data", table, "--model", model, "--full", "--quiet", "--save", "later"
        ).code
        == 0
    )
    at_once, later = raw(finished.saved), raw(Path("later"))
    assert at_once.keys() == later.keys()
    assert any(name.startswith("retrained.") for name in later)
    for name in at_once:
        np.testing.assert_array_equal(at_once[name], later[name], err_msg=name)


@pytest.mark.parametrize(("command", "out"), [("train", "m"), ("audit", "m.html")])
def test_words_that_stay_as_drawn_are_told(sightline: Call, here: Path, table, command, out):
    masked = ("--model", "bilstm(hidden=50)+mlm", "--epochs", 1, "--controls", "none")
    done = sightline(command, "--data", table, *masked, "--quiet", "--out", out)
    assert done.code == 0, done.err
    cap, stay = done.err.splitlines()[:2]
    assert cap.startswith("note: the cap on epochs ended the training of: model")
    assert stay.startswith(
        "note: the model freezes its embeddings, and 100% of the words of its training texts"
    )


def test_training_tells_what_it_reached_as_json(sightline: Call, here: Path, table, model):
    output = sightline("train", "--data", table, *TINY, "--out", "m", "--json").json
    assert set(output) == {"model", "spec", "key", "epochs", "kept", "validation"}
    assert set(output["validation"]) == {"accuracy", "loss", "auc", "n"}
    assert (output["spec"], output["validation"]["n"]) == ("mlp(hidden=8)+additive+softmax", 18)
    assert (Path("m") / "model.safetensors").read_bytes() == (
        model / "model.safetensors"
    ).read_bytes()


def test_texts_a_saved_model_was_trained_on_are_refused(sightline: Call, here: Path, table, model):
    done = sightline("audit", "--data", table, "--model", model, "--seed", 5)
    assert done.code == 2
    assert "test texts were used to train" in done.err
    assert "--seed" in done.err
    assert not any(here.iterdir())


def test_a_saved_model_may_be_audited_on_other_texts(sightline: Call, here: Path, model):
    other = write_table(here / "other.csv", n=300)
    lines = other.read_text(encoding="utf-8").replace("zyx", "yxz")
    other.write_text(lines, encoding="utf-8")
    assert sightline("audit", "--data", other, "--model", model, "--quiet").code == 0


@pytest.mark.parametrize(
    ("flag", "value"),
    [
        ("--epochs", 3),
        ("--batch-size", 8),
        ("--learning-rate", 0.1),
        ("--preset", "default"),
        ("--controls", "none"),
        ("--min-count", 2),
    ],
)
def test_flags_of_a_training_are_refused_for_a_saved_model(
    sightline: Call, here: Path, table, model, flag, value
):
    done = sightline("audit", "--data", table, "--model", model, flag, value)
    assert done.code == 2
    assert f"error: {flag}: this is about training" in done.err


def test_training_flags_reach_the_training(sightline: Call, here: Path, table):
    flags = (
        "--preset",
        "jain2019",
        "--epochs",
        1,
        "--batch-size",
        16,
        "--learning-rate",
        "0.01",
        "--min-count",
        2,
        "--max-tokens",
        6,
        "--seed",
        4,
    )
    output = sightline(
        "audit", "--data", table, "--model", "mlp(hidden=4)", *flags, "--quiet", "--json"
    ).json
    made = output["spec"]["run"]
    assert (made["fit"]["epochs"], made["fit"]["batch_size"], made["fit"]["learning_rate"]) == (
        1,
        16,
        0.01,
    )
    assert made["fit"]["amsgrad"] is True
    assert (made["model"]["embedding"], made["seed"], output["spec"]["seed"]) == (200, 4, 4)
    assert (made["data"]["min_count"], made["data"]["max_tokens"]) == (2, 6)
    assert output["cards"]["data"]["truncated"] == 120
    measured = output["cards"]["data"]["splits"]["test"]["n"]  # training texts are cut, too
    assert (output["learned"]["cut"], output["learned"]["cut_of"]) == (measured, measured)
    assert measured < 120


def test_a_model_may_be_trained_against_its_base_and_not_at_all(sightline: Call, here: Path, table):
    settings = ("--fit", "adversary=jsd", "--fit", "adversary_epochs=1", "--controls", "base")
    output = sightline("audit", "--data", table, *TINY, *settings, "--json").json
    assert output["spec"]["run"]["fit"]["adversary"] == "jsd"
    assert 0 <= output["estimates"]["beside.jsd.base"]["value"] <= np.log(2)
    done = sightline(
        "train", "--data", table, "--model", "mlp(hidden=4)", "--fit", "epochs=0", "--out", "m"
    )
    assert (done.code, done.out.splitlines()[0]) == (0, "epochs: kept 0 of 0")
    assert (
        sightline("train", "--data", table, *TINY, "--fit", "adversary=l2", "--out", "n").code == 2
    )


def test_an_epoch_that_fills_the_screen_is_no_good_the_first_and_the_last_of_a_stage_are(
    sightline: Call, here: Path, table
):
    loud = [flag for flag in TINY if flag != "--quiet"]
    few = sightline("audit", "--data", table, *loud, "--full")
    assert [line.partition(":")[0] for line in few.err.splitlines()] == [
        "training model",
        "training control model (uniform attention)",
        "auditing",
        "auditing",
        "note",
    ]
    assert few.err.endswith(f"auditing: 18 of 18 texts\n{CUT_SHORT}\n")
    every = sightline("audit", "--data", table, *loud, "--full", "--verbose")
    assert [line.partition(":")[0] for line in every.err.splitlines()] == ["training model"] * 3 + [
        "training control model (uniform attention)"
    ] * 3 + ["auditing"] * 2 + ["note"]  # the first batch, then each epoch
    silent = sightline("audit", "--data", table, *loud, "--json")
    assert silent.err == f"{CUT_SHORT}\nreport: report.html\n"


def test_a_dry_run_says_that_a_table_is_missing(sightline: Call, here: Path):
    for more in ((), ("--dry-run",)):
        done = sightline("audit", "--data", "none.csv", *TINY, *more)
        assert done.code == 2
        assert "none.csv" in done.err


def test_a_dry_run_estimates_and_writes_nothing(sightline: Call, here: Path, table, model):
    done = sightline("audit", "--data", table, *TINY, "--dry-run", "--save", "a")
    assert done.code == 0
    assert [line.partition(":")[0] for line in done.out.splitlines()] == [
        "start",
        "reading",
        "training",
        "measuring",
        "first look",
        "judging and page",
        "in all",
        "not counted",
        "memory",
        "basis",
        "dry run",
    ]
    early = sightline("audit", "--data", table, "--model", model, "--dry-run", "--json").json
    assert early["first_look"][0] == 18
    output = sightline(
        "audit", "--data", table, "--model", model, "--full", "--dry-run", "--json"
    ).json
    numbers = {
        "seconds_training",
        "seconds_epoch",
        "epochs",
        "seconds_reading",
        "seconds_audit",
        "peak_bytes",
    }
    parts = ("seconds_start", "seconds_reading", "seconds_audit", "seconds_judging", "seconds_page")
    looked = {"first_look", "few", "budget", "notes", "audits"}
    assert output["audits"] == 1
    assert set(output) == {*numbers, *parts, *looked, "seconds_least", "seconds", "basis"}
    assert (output["first_look"], output["budget"]) == (None, None)
    assert output["seconds_training"] == 0 < min(output[part] for part in parts)
    assert (
        output["seconds_least"]
        == output["seconds"]
        == pytest.approx(sum(output[part] for part in parts))
    )
    alone = sightline("train", "--data", table, *TINY, "--out", "m", "--dry-run", "--json").json
    before = alone["seconds_start"] + alone["seconds_reading"]
    assert alone["seconds"] == pytest.approx(before + alone["seconds_training"])
    assert not any(here.iterdir())


def test_a_dry_run_heeds_a_budget_and_names_classes_of_few_texts(sightline: Call, table, model):
    asked = ("audit", "--data", table, "--model", model, "--budget", "5m", "--dry-run")
    output = sightline(*asked, "--json").json
    full = sightline("audit", "--data", table, "--model", model, "--dry-run", "--json").json
    texts, seconds = output["first_look"]
    assert (output["budget"], texts > 0, seconds > 0) == (300.0, True, True)
    printed = sightline(*asked)
    assert [line.partition(":")[0] for line in printed.out.splitlines()][2:5] == [
        "measuring",
        "first look",
        "budget",
    ]
    assert output["notes"] == full["notes"]
    assert [line for line in printed.err.splitlines() if line.startswith("note: ")] == [
        f"note: {one}" for one in output["notes"]
    ]
    assert len(output["notes"]) == 1


@pytest.mark.slow
def test_a_terminal_sees_bars_without_colour_where_none_is_wanted_and_stdout_stays_json(
    here: Path, table
):
    ours, theirs = os.openpty()
    loud = [flag for flag in TINY if flag != "--quiet"]
    command = [sys.executable, "-c", ASK, "audit", "--data", str(table), *loud, "--json"]
    environment = os.environ | {"NO_COLOR": "1", "TERM": "xterm"}
    with (
        tempfile.TemporaryFile(
            "w+", encoding="utf-8"
        ) as out,  # a pipe that nobody reads yet holds 64 KiB
        subprocess.Popen(command, stdout=out, stderr=theirs, env=environment) as process,
    ):
        os.close(theirs)
        shown = b""
        with contextlib.suppress(
            OSError
        ):  # how a pseudo-terminal says that nobody writes to it any more
            while part := os.read(ours, 4096):
                shown += part
        process.wait()
        out.seek(0)
        assert json.loads(out.read())["verdict"] == "cannot tell"
    os.close(ours)
    assert process.returncode == 0, (
        shown
    )  # training and auditing load torch alone, not what takes as long again
    assert b"training control model (uniform attention)" in shown
    assert b"18 of 18 texts" in shown
    assert not re.search(rb"\x1b\[[0-9;]*3[0-9]m", shown)  # it may move the cursor, but not paint
