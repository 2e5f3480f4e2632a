"""`sightline check-model` and `sightline audit --model py:…`: the user's own code, called by
name.
"""

import re
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
import torch
import typer

from sightline.adapters import compatibility
from sightline.adapters.wrap import WrappedModule
from sightline.audits.audit_storage import load_results
from sightline.cli.app import app
from sightline.core.example import Example
from sightline.core.needs import needed
from tests.cli.conftest import TINY, Call
from tests.cli.own_models import FILE, write


@pytest.fixture
def module(here: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A module of the user's in the current folder, under a name that no other test has
    imported.
    """
    monkeypatch.setattr(sys, "path", list(sys.path))
    return write(here, FILE)


def test_every_proof_is_a_line_and_the_code_is_0(sightline: Call, module):
    done = sightline("check-model", f"py:{module}:build")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert sum(line.startswith("✓ ") for line in lines) == 17
    assert [line for line in lines if line.startswith("– ")] == [
        "– its tokenizer has tokens for the words (needs a tokenizer with an unknown token)",
        (
            "– the logits are the token logits mixed by attention "
            f"({needed({'token_logits'})}; the model does not offer it)"
        ),
    ]
    assert lines[-1] == "Tiny: can be audited; 17 passed"


def test_a_failing_proof_says_what_to_change_and_the_code_is_2(sightline: Call, module):
    done = sightline("check-model", f"py:{module}:broken")
    assert done.code == 2
    assert (
        "✕ decoding other attention gives other logits: decode gives the same logits whatever"
        in done.out
    )
    assert done.out.splitlines()[-1] == "Tiny: 1 of 19 checks failed; 16 passed"


def test_proofs_as_json(sightline: Call, module):
    output = sightline("check-model", f"py:{module}:build", "--json").json
    assert (output["model"], output["passed"], output["offers"]) == (
        "Tiny",
        True,
        ["decode", "embedding_grad"],
    )
    assert {"name", "claim", "outcome", "wrong", "change", "measured"} == set(output["proofs"][0])
    done = sightline("check-model", f"py:{module}:broken", "--json")
    assert (done.code, done.json["passed"]) == (2, False)
    assert [proof["name"] for proof in done.json["proofs"] if proof["outcome"] == "failed"] == [
        "used"
    ]


def test_with_data_their_texts_and_labels_are_looked_at(sightline: Call, here, module, table):
    assert sightline("check-model", f"py:{module}:build", "--data", table).code == 0
    three = write(here, FILE, outputs=3, link="softmax")
    done = sightline("check-model", f"py:{three}:build", "--data", table)
    assert done.code == 2
    assert "the logits are of 3 classes, and the data have 2 labels (neg, pos)" in done.out
    assert sightline("check-model", f"py:{module}:named", "--data", table).code == 0
    done = sightline("check-model", f"py:{module}:strangers", "--data", table)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert all(f"'{one}'" in done.err for one in ("neg", "pos", "yes", "no"))
    assert '--label-map "neg=CLASS,pos=CLASS"' in done.err
    mapped = ("check-model", f"py:{module}:strangers", "--data", table, "--label-map")
    assert sightline(*mapped, "neg=no,pos=yes").code == 0
    assert sightline(*mapped, "neg=no,pos=perhaps").err.startswith("error: --label-map: ")
    assert (
        sightline("check-model", f"py:{module}:strangers", "--label-map", "neg=no,pos=yes").code
        == 2
    )
    unnamed = sightline(
        "check-model", f"py:{module}:build", "--data", table, "--label-map", "neg=no,pos=yes"
    )
    assert (unnamed.code, "does not name its classes" in unnamed.err) == (2, True)


def data_flags(command: str) -> set[str]:
    """Give the names of the flags about data that a command has."""
    parameters = typer.main.get_command(app).commands[command].params
    return {one.name for one in parameters if getattr(one, "rich_help_panel", "") == "Data"}


def test_texts_are_read_by_the_flags_of_an_audit():
    assert {"data", "test", "id", "group", "labels_sep"} <= data_flags("audit")
    assert data_flags("check-model") == data_flags("audit") - {"scores", "min_count"}


def test_a_column_is_read_as_an_audit_reads_it(sightline: Call, module, table):
    model = f"py:{module}:build"
    assert sightline("check-model", model, "--test", table).code == 0
    for command in (("check-model", model), ("audit", "--model", model)):
        for flag in ("--group", "--id"):
            done = sightline(*command, "--data", table, flag, "team")
            assert done.code == 2
            assert f"there is no column 'team' to read as '{flag.lstrip('-')}'" in done.err


@pytest.mark.parametrize("given", [("--group", "person"), ("--label-map", "a=b"), ("--text", "b")])
def test_a_flag_about_texts_needs_texts(sightline: Call, module, given):
    done = sightline("check-model", f"py:{module}:build", *given)
    assert done.code == 2
    assert given[0] in done.err


@pytest.mark.parametrize(("typed", "longest"), [((), 3), (("--max-tokens", 4), 4)])
def test_a_saved_model_is_checked_on_texts_prepared_as_its_own(
    sightline: Call, here, table, monkeypatch, typed, longest
):
    assert sightline("train", "--data", table, *TINY, "--max-tokens", 3, "--out", "s").code == 0
    lengths = list[int]()

    def spied(model: object, examples: Sequence[Example], labels: object) -> tuple[()]:
        lengths.extend(len(one.tokens) for one in examples)
        return ()

    monkeypatch.setattr(compatibility, "check", spied)
    assert sightline("check-model", "s", "--data", table, *typed).code == 0
    assert max(lengths) == longest


def test_a_saved_model_passes(sightline: Call, here, table):
    assert sightline("train", "--data", table, *TINY, "--out", "saved").code == 0
    done = sightline("check-model", "saved", "--data", table)
    assert done.code == 0
    assert done.out.splitlines()[-1] == "mlp(hidden=8)+additive+softmax: can be audited; 19 passed"
    assert (
        sightline("check-model", "saved").out == done.out
    )  # without data, texts are made of the words it knows


BAD = {
    "py:nowhere_at_all:build": (
        "there is no module nowhere_at_all in .* run sightline in the folder"
    ),
    "py:nowhere_at_all.deep:build": "there is no module nowhere_at_all in",
    "py:MODULE.deep:build": "there is no module .*deep in",
    "py:MODULE:biuld": "has no biuld; did you mean build",
    "py:MODULE:number": "expected a function that can be called without arguments, got the int",
    "py:MODULE:needing": (
        "expected a function that can be called without arguments, got the function needing"
    ),
    "py:MODULE:bare": "got a bare Tiny; wrap it with sightline.wrap",
    "py:MODULE:nothing": "expected what sightline.wrap gives, got the NoneType; return it",
    "py:MODULE:raising": r"raised ValueError: no weights here \(mine_\d+.py:\d+\)",
    "py:MODULE": "expected py:package.module:factory",
    "py:": "expected py:package.module:factory",
    "py:a b:c": "expected py:package.module:factory",
    "py:json:dumps": (
        "expected a function that can be called without arguments, got the function dumps"
    ),
    "bilstm+additive": "got a spec, which every built-in model passes",
    "no/where": "there is no such folder",
}


@pytest.mark.parametrize("spec", BAD)
def test_a_bad_spec_is_one_line_and_code_2(sightline: Call, module, spec):
    done = sightline("check-model", spec.replace("MODULE", module))
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error: ")
    assert done.err.count("\n") == 1
    assert re.search(BAD[spec], done.err), done.err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "import not_installed_anywhere",
            r"importing mine_.* failed: ModuleNotFoundError: No module named "
            r"'not_installed_anywhere' \(mine_\d+.py:1\); install",
        ),
        (
            "1 / 0",
            r"failed: ZeroDivisionError: division by zero \(mine_\d+.py:1\); "
            "it must import without running anything",
        ),
        ("def build(:", r"failed: SyntaxError: invalid syntax \(mine_\d+.py:1\); it"),
        ("raise SystemExit(3)", r"failed: SystemExit: 3 \(mine_\d+.py:1\); it must import"),
    ],
)
def test_a_module_that_does_not_import_is_told_in_words(
    sightline: Call, here, monkeypatch, text, message
):
    monkeypatch.setattr(sys, "path", list(sys.path))
    done = sightline("check-model", f"py:{write(here, text)}:build")
    assert done.code == 2
    assert re.search(message, done.err), done.err


def test_an_attribute_may_be_a_path(sightline: Call, module):
    assert sightline("check-model", f"py:{module}:Box.build").code == 0


# ---------------------------------------------------------------- audits


def test_an_audit_takes_a_factory(sightline: Call, module, table):
    done = sightline(
        "audit",
        "--data",
        table,
        "--model",
        f"py:{module}:build",
        "--save",
        "saved",
        "--json",
        "--quiet",
    )
    assert done.code == 0, done.err
    output = done.json
    assert output["cards"]["model"]["name"] == "Tiny"
    assert output["cards"]["model"]["training_texts"].startswith(
        "unknown: this model was trained elsewhere"
    )
    assert (
        output["metrics"]["accuracy"]["n"] == output["cards"]["data"]["splits"]["test"]["n"] == 120
    )
    assert output["spec"]["model"] == f"py:{module}:build"
    page = Path("report.html").read_text(encoding="utf-8")
    assert "trained elsewhere" in page
    assert len(load_results("saved").texts) == 120


def test_labels_are_numbered_as_the_factory_says(sightline: Call, module, table):
    some = ("--limit", 30, "--json", "--quiet")
    one = sightline("audit", "--data", table, "--model", f"py:{module}:build", *some).json
    other = sightline("audit", "--data", table, "--model", f"py:{module}:named", *some).json
    assert one["cards"]["model"]["labels"] == ["neg", "pos"]
    assert other["cards"]["model"]["labels"] == ["pos", "neg"]
    assert one["metrics"]["accuracy"]["value"] == pytest.approx(
        1 - other["metrics"]["accuracy"]["value"]
    )


@pytest.mark.parametrize(
    "flags",
    [
        ("--epochs", 2),
        ("--controls", "none"),
        ("--preset", "default"),
        ("--min-count", 2),
        ("--batch-size", 8),
    ],
)
def test_flags_of_a_training_are_refused(sightline: Call, module, table, flags):
    done = sightline("audit", "--data", table, "--model", f"py:{module}:build", *flags)
    assert done.code == 2
    assert done.err.startswith(
        f"error: {flags[0]}: this is about training, and the model of py:{module}:build is trained"
    )


def test_a_count_of_training_texts_is_no_flag_of_a_check(sightline: Call, module, table):
    done = sightline("check-model", f"py:{module}:build", "--data", table, "--min-count", 7)
    assert (done.code, done.out) == (2, "")
    assert "--min-count" in done.err


def test_a_model_whose_proofs_fail_is_not_audited(sightline: Call, here, module, table):
    done = sightline(
        "audit", "--data", table, "--model", f"py:{module}:broken", "--save", "saved", "--quiet"
    )
    assert (done.code, done.out) == (2, "")
    assert (
        "Tiny cannot be audited, one of its compatibility checks fails: decode gives the same logits"
        in done.err
    )
    assert not Path("report.html").exists()
    assert not Path("saved").exists()


def test_a_device_it_is_not_on_is_refused(sightline: Call, module, table, monkeypatch):
    arguments = ("audit", "--data", table, "--model", f"py:{module}:build", "--limit", 3, "--quiet")
    assert sightline(*arguments, "--device", "cpu").code == 0
    monkeypatch.setattr(WrappedModule, "device", property(lambda self: torch.device("cuda")))
    done = sightline(*arguments, "--device", "cpu")
    assert (done.code, done.out) == (2, "")
    assert (
        f"--device: cpu: the model of py:{module}:build is on cuda; put it there in its factory"
        in done.err
    )


@pytest.mark.slow
def test_what_it_will_cost_is_estimated(sightline: Call, module, table):
    done = sightline(
        "audit", "--data", table, "--model", f"py:{module}:build", "--dry-run", "--json"
    )
    assert done.code == 0, done.err
    assert done.json["seconds_training"] == 0
    assert not Path("report.html").exists()


# ---------------------------------------------------------------- a class in place of what wrap gives

STRANGER = (
    FILE
    + '''

class Tripled:
    """Attention is tripled where it is shown, and parted again where it is used."""
    name, link, labels, ORIGIN = "Tripled", "sigmoid", None, "elsewhere"
    offers = frozenset({"decode", "embedding_grad"})

    def __init__(self):
        self.inner = build()
        self.collate, self.embed = self.inner.collate, self.inner.embed

    def trace(self, batch, embeddings=None):
        from dataclasses import replace
        found = self.inner.trace(batch, embeddings)
        return replace(found, attention=3 * found.attention)

    def decode(self, trace, attention):
        return self.inner.decode(trace, attention / 3)
'''
)


def test_a_class_of_the_owners_is_proved_by_both_commands(
    sightline: Call, here, table, monkeypatch
):
    monkeypatch.setattr(sys, "path", list(sys.path))
    model = f"py:{write(here, STRANGER.replace('ORIGIN', 'origin'))}:Tripled"
    checked = sightline("check-model", model)
    assert checked.code == 2
    assert "✕ attention is a distribution over the words: the weights of text" in checked.out
    assert checked.out.splitlines()[-1].startswith("Tripled: 1 of 19 checks failed")
    done = sightline("audit", "--data", table, "--model", model, "--quiet")
    assert (done.code, done.out) == (2, "")
    assert (
        "Tripled cannot be audited, one of its compatibility checks fails: the weights of text"
        in done.err
    )
    assert not Path("report.html").exists()


def test_a_class_that_does_not_say_its_origin_is_told_so(sightline: Call, here, table, monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    model = f"py:{write(here, STRANGER.replace('ORIGIN', 'source'))}:Tripled"
    for done in (
        sightline("check-model", model),
        sightline("audit", "--data", table, "--model", model, "--quiet"),
    ):
        assert done.code == 2
        assert (
            "Tripled: expected a model to audit, got one without 'origin'; add origin = 'elsewhere'"
            in done.err
        )


@pytest.mark.parametrize("flag", ["", "--no-texts", "--no-ids"])
def test_what_code_of_the_user_quotes_is_left_out_by_either_flag(
    sightline: Call, here: Path, monkeypatch: pytest.MonkeyPatch, flag: str
):
    monkeypatch.setattr(sys, "path", list(sys.path))
    text = (
        FILE
        + """
import dataclasses

def quoting():
    model = build()

    def collate(texts):
        raise ValueError(f"cannot tokenise {texts[0].text!r}")

    return dataclasses.replace(model, calls=dataclasses.replace(model.calls, collate=collate))
"""
    )
    Path("own.csv").write_text("text,label\n" + "SECRET hurts,no\nfine words,yes\n" * 8)
    named = (f"py:{write(here, text)}:quoting", "--data", "own.csv")
    done = sightline("check-model", *named, *filter(None, [flag]))
    assert done.code == 2
    assert "collate raised ValueError" in done.err + done.out
    assert ("SECRET" in done.err + done.out) == (not flag)


@pytest.mark.parametrize("flag", ["", "--no-texts", "--no-ids"])
@pytest.mark.parametrize("raised", ["ValueError", "SystemExit", "ModuleNotFoundError"])
def test_what_an_import_quotes_is_left_out_by_either_flag(
    sightline: Call, here: Path, monkeypatch: pytest.MonkeyPatch, raised: str, flag: str
):
    monkeypatch.setattr(sys, "path", list(sys.path))
    name = write(here, f"\nraise {raised}('cannot read SECRET')")
    for command in ("check-model", f"py:{name}:build"), ("check-model", f"answers:{name}:ask"):
        done = sightline(*command, *filter(None, [flag]))
        assert done.code == 2
        assert f"importing {name} failed: {raised}" in done.err
        assert f"({name}.py:2); " in done.err
        assert ("SECRET" in done.err + done.out) == (not flag)
