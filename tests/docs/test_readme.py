"""Every command of the README runs as it stands there, on small data, and prints what it finds.

What is costly is made cheap from outside: few texts, one epoch, a small grid. A command that is new
in the README is run, too; one that needs a flag to be cheap gets it in `CHEAP`.
"""

import csv
import json
import re
import shlex
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import sightline
from sightline.audits.audit_storage import load_results
from sightline.report.text.audit_summary import lines
from sightline.verdict.catalogue import AUDIT_TESTS
from tests.adapters.huggingface.toys import classifier, whole_words
from tests.cli.conftest import Ran, call
from tests.cli.test_check_model import FILE
from tests.docs.test_docs import reviews
from tests.studies import small

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PROSE = re.sub(r"^```.*?^```$", "", README, flags=re.MULTILINE | re.DOTALL)
BLOCKS = re.findall(r"^ {4}(sightline [^#\n]+?)(?: +#.*)?$", PROSE, re.MULTILINE)
INLINE = re.findall(r"`(sightline [a-z-]+ [^`\n]*-[^`\n]*)`", PROSE)
COMMANDS = [*dict.fromkeys([*BLOCKS, *INLINE])]
TRAINED = ("hf:", "py:")
"""How a model begins that is trained already."""
DEMO = re.compile(r"<!-- demo output -->\n```text\n(.*?)\n```", re.DOTALL)
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
NEAR = 0.05
"""How far numbers of one demo may lie from those of another processor."""


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all that the README names: tables, models, an audit, a study, a corpus of the
    papers.
    """
    folder = tmp_path_factory.mktemp("readme")
    _table(folder)
    _classifier(folder)
    (folder / "my_model.py").write_text(FILE.replace("OUTPUTS", "2").replace("LINK", "'softmax'"))
    (folder / "examples").mkdir()
    study = (ROOT / "examples" / "study.toml").read_text(encoding="utf-8")
    tiny = study.replace("n=320,length=10", "n=120,length=6").replace("epochs = 3", "epochs = 1")
    assert tiny != study
    (folder / "examples" / "study.toml").write_text(tiny.replace("hidden=16", "hidden=4"))
    small.sst(folder / "DIR")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        data = ("--data", "reviews.csv", "--text", "body", "--label", "stars")
        cheap = ("--model", "mlp(hidden=4)", "--epochs", "1", "--quiet")
        assert call("train", *data, *cheap, "--out", "MODEL_DIR").code == 0
        audited = call(
            "audit",
            *data,
            "--model",
            "MODEL_DIR",
            "--save",
            "AUDIT_DIR",
            "--out",
            "made.html",
            "--quiet",
        )
        assert audited.code == 0, audited.err
    return folder


def _table(folder: Path) -> None:
    """Write the reviews under both pairs of names: those that the README names, and the default
    ones that it leaves out.
    """
    reviews(folder / "reviews.csv")
    with (folder / "reviews.csv").open(encoding="utf-8", newline="") as file:
        rows = [*csv.DictReader(file)]
    with (folder / "reviews.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, ["body", "stars", "text", "label"])
        writer.writeheader()
        writer.writerows(row | {"text": row["body"], "label": row["stars"]} for row in rows)
    shutil.copy(folder / "reviews.csv", folder / "new.csv")


def _classifier(folder: Path) -> None:
    """Save a classifier that nobody trained, with as many layers and heads as the README takes one
    of.
    """
    with (folder / "reviews.csv").open(encoding="utf-8", newline="") as file:
        rows = [*csv.DictReader(file)]
    words = sorted({word for row in rows for word in row["body"].split()})
    tokenizer = whole_words(words)
    named = {"id2label": dict(enumerate(sorted({row["stars"] for row in rows})))}
    module = classifier("bert", tokenizer=tokenizer, num_hidden_layers=6, **named)
    module.save_pretrained(folder / "my-classifier")
    tokenizer.save_pretrained(folder / "my-classifier")


@pytest.fixture
def run(room: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Ran]:
    """Run a command of the README in that folder, with what makes it cheap."""
    monkeypatch.chdir(room)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.delitem(sys.modules, "my_model", raising=False)

    def ran(command: str, *more: str) -> Ran:
        words = shlex.split(command)[1:]
        return call(*words, *_cheap(words), *more)

    return ran


def _cheap(words: list[str]) -> list[str]:
    """Give the flags that make a command cheap, where it has no word of them itself."""
    model = words[words.index("--model") + 1] if "--model" in words else ""
    if words[0] == "study":
        return ["--dry-run"] if words[1].partition(":")[0] == "jain2019" else []
    if words[0] != "audit":
        return []
    limit = [] if "--limit" in words else ["--limit", "10"]
    return [*limit, "--quiet", *([] if model.startswith(TRAINED) else ["--epochs", "1"])]


def test_the_commands_are_found() -> None:
    """Or nothing below is run: each of these is in the README, in a block or in a line."""
    named = {shlex.split(command)[1] for command in COMMANDS}
    assert named >= {"audit", "check-data", "check-model", "look", "predict", "study"}
    assert any("hf:" in command for command in COMMANDS)
    assert any("py:" in command for command in COMMANDS)


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_of_the_readme_runs(command: str, run: Callable[..., Ran], room: Path) -> None:
    kind = shlex.split(command)[1]
    saved = room / f"saved-{COMMANDS.index(command)}"
    done = run(command, *(("--save", str(saved)) if kind == "audit" else ()))
    assert done.code == 0, done.err
    assert not done.err.startswith("error")
    CHECKS[kind](command, done, run, saved)


def _audited(command: str, done: Ran, run: Callable[..., Ran], saved: Path) -> None:
    """Compare every line with the saved audit, and the report with the flag that names it."""
    found = load_results(saved)
    printed = done.out.splitlines()
    assert printed[: len(lines(found))] == lines(found)
    words = shlex.split(command)
    page = words[words.index("--out") + 1] if "--out" in words else "report.html"
    assert printed[len(lines(found)) :] == ["", f"report: {page}", f"saved audit: {saved}"]
    assert Path(page).stat().st_size > 10_000
    assert [finding.code for finding in found.findings] == [*AUDIT_TESTS]


def _data_checked(command: str, done: Ran, run: Callable[..., Ran], saved: Path) -> None:
    card = run(command, "--json").json
    for name, split in card["splits"].items():
        labels = ", ".join(f"{label} {count}" for label, count in split["labels"].items())
        assert re.search(rf"^{name} +{split['n']} .* {re.escape(labels)}$", done.out, re.MULTILINE)
    assert all(f"note: {note}" in done.out for note in card["notes"])


def _looked(command: str, done: Ran, run: Callable[..., Ran], saved: Path) -> None:
    found = run(command, "--json").json
    assert found["text"] == "a dull, slow film"
    assert [word["word"] for word in found["words"]] == ["a", "dull", ",", "slow", "film"]
    shown = done.out.split()
    assert all(
        name in shown and f"{value:.3f}" in done.out
        for name, value in found["probabilities"].items()
    )
    assert found["verdict"] is not None
    assert found["verdict"].lower() in done.out.lower()


def _predicted(command: str, done: Ran, run: Callable[..., Ran], saved: Path) -> None:
    with Path("predicted.csv").open(encoding="utf-8", newline="") as file:
        rows = [*csv.DictReader(file)]
    with Path("new.csv").open(encoding="utf-8", newline="") as file:
        expected = sightline.predict("MODEL_DIR", [row["body"] for row in csv.DictReader(file)])
    assert len(rows) == len(expected)
    for row, one in zip(rows, expected, strict=True):
        assert row["predicted"] == one.label
        assert {
            name: float(row[f"probability of {name}"]) for name in one.probabilities
        } == one.probabilities


def _model_checked(command: str, done: Ran, run: Callable[..., Ran], saved: Path) -> None:
    found = run(command, "--json").json
    assert found["passed"]
    passed = sum(proof["outcome"] == "passed" for proof in found["proofs"])
    assert done.out.rstrip().endswith(f"{found['model']}: can be audited; {passed} passed")
    assert all(proof["claim"] in done.out for proof in found["proofs"])


def _studied(command: str, done: Ran, run: Callable[..., Ran], saved: Path) -> None:
    if "--dry-run" in _cheap(shlex.split(command)[1:]):
        forecast = run(command, "--json").json
        assert forecast["to_run"] == forecast["cells"] - forecast["done"] > 0
        return
    found = run(command, "--json").json  # all of it is in the store now
    assert not found["partial"]
    assert all(name in done.out for names in found["row_names"] for name in names)
    values = [
        cell["value"] for row in found["rows"] for cell in row if isinstance(cell["value"], float)
    ]
    assert values
    assert len(found["rows"][0][0]["seeds"]) > 1


CHECKS = {
    "audit": _audited,
    "check-data": _data_checked,
    "check-model": _model_checked,
    "look": _looked,
    "predict": _predicted,
    "study": _studied,
}
"""What is compared, by command."""


def test_the_readme_s_dry_run_writes_nothing(run: Callable[..., Ran], room: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in room.rglob("*")}
    done = run(BLOCKS[0], "--dry-run", "--json")
    assert done.code == 0, done.err
    assert done.json["seconds_least"] <= done.json["seconds"]
    assert {path: path.stat().st_mtime_ns for path in room.rglob("*")} == before


@pytest.mark.slow
def test_the_readme_shows_what_the_demo_prints(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Word for word; numbers may lie as far apart as those of two processors."""
    monkeypatch.chdir(tmp_path)
    done = call("demo", "--quiet", "--device", "cpu", "--threads", "1")
    assert done.code == 0, done.err
    (message,) = DEMO.findall(README)
    assert differences(message, done.out.rstrip()) == []


def differences(message: str, fresh: str) -> list[tuple[str, str]]:
    """Pair the lines that differ: in a word, in a δ, or in a number by more than is near."""
    first, second = message.splitlines(), fresh.splitlines()
    if len(first) != len(second):
        return [(f"{len(first)} lines", f"{len(second)} lines")]
    return [
        (one, other) for one, other in zip(first, second, strict=True) if not _alike(one, other)
    ]


def _alike(one: str, other: str) -> bool:
    if _words(one) != _words(other):
        return False
    pairs = zip(NUMBER.findall(one), NUMBER.findall(other), strict=True)
    return all(abs(float(a) - float(b)) <= NEAR * max(1, abs(float(a))) for a, b in pairs)


def _words(line: str) -> list[str]:
    """Give a line without its numbers, but with those that no training moves: codes and
    thresholds.
    """
    kept = re.sub(
        r"(SL-\d{3}|(?<= )[\d.]+(?= +n = ))", lambda found: found[0].translate(LETTERS), line
    )
    return NUMBER.sub("#", kept).split()


LETTERS = str.maketrans("0123456789.", "abcdefghijk")


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ("0.994 [0.992, 0.996]", "0.991 [0.990, 0.999]", True),
        ("0.994 [0.992, 0.996]", "0.495 [0.393, 0.598]", False),
        ("Verdict: can be shown", "Verdict: cannot tell", False),
        ("  0.21 ", "  0.22 ", False),
        ("Removal (SL-301)", "Removal (SL-302)", False),
        ("required", "informational", False),
    ],
)
def test_a_demo_that_differs_is_found(old: str, new: str, same: bool) -> None:
    (message,) = DEMO.findall(README)
    changed = message.replace(old, new, 1)
    assert changed != message
    assert (differences(message, changed) == []) == same


def test_the_readme_s_python_finds_what_its_command_does(run: Callable[..., Ran]) -> None:
    """The snippet and the first command give the same findings on the same table."""
    data = sightline.load("reviews.csv", text="body", label="stars")
    audit = sightline.audit(sightline.train(data, "bilstm+additive", epochs=1), data, limit=10)
    output = json.loads(run(BLOCKS[0], "--json").out)
    of_python = [
        (one["code"], one["result"], one["score"], one["threshold"])
        for one in audit.to_json()["findings"]
    ]
    assert [
        (one["code"], one["result"], one["score"], one["threshold"]) for one in output["findings"]
    ] == of_python
