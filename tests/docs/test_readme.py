"""Every command of the README and of its guide runs as it stands there, on small data, and prints
what it finds.

What is costly is made cheap from outside: few texts, one epoch, a small grid. A command that is new
there is run, too; one that needs a flag to be cheap gets it in `_cheap`.
"""

import csv
import json
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import sightline
from sightline.audits.audit_storage import load_results
from sightline.report.text.audit_summary import lines
from sightline.verdict.catalogue import AUDIT_TESTS
from tests.adapters.huggingface.toys import classifier, whole_words
from tests.cli.conftest import Ran, call
from tests.cli.own_models import FILE
from tests.docs.test_docs import reviews
from tests.studies import small

ROOT = Path(__file__).resolve().parents[2]
README, GUIDE = (
    (ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "docs/get-started.md")
)
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
BLOCK = re.compile(r"^ {4}(sightline [^#\n]+?)(?: +#.*)?$", re.MULTILINE)
INLINE = re.compile(r"`(sightline [a-z-]+ [^`\n]*-[^`\n]*)`")
PROSE = FENCED.sub("", f"{README}\n{GUIDE}")
DEMO_COMMAND = "sightline demo"
"""Run by a test of its own, which compares its output."""
COMMANDS = [
    command
    for command in dict.fromkeys([*BLOCK.findall(PROSE), *INLINE.findall(PROSE)])
    if command != DEMO_COMMAND
]
(OWN_MODEL,) = (one for one in BLOCK.findall(FENCED.sub("", README)) if one != DEMO_COMMAND)
"""The one command of the README on a model of the reader."""
(TRAINED_HERE,) = (one for one in COMMANDS if one.startswith("sightline audit --data"))
TRAINED = ("hf:", "py:", "answers:")
"""How a model begins that is trained already."""
PREDICT = """

def predict(texts):
    share = [1 / (2 + len(text) % 7) for text in texts]
    return [[one, 1 - one] for one in share]

predict.labels = LABELS
"""
"""The function of the reader's own of which only answers are known."""
DEMO = re.compile(r"<!-- demo output -->\n```text\n(.*?)\n```", re.DOTALL)
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
NEAR = 0.15
"""How far numbers of one demo may lie from those of another processor, which trains another model:
Transfer of its map was 0.85 on one and 0.77 [0.71, 0.83] on another."""


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all that the README names: tables, models, an audit, a study, a corpus of the
    papers.
    """
    folder = tmp_path_factory.mktemp("readme")
    _table(folder)
    _classifier(folder)
    own = FILE.replace("OUTPUTS", "2").replace("LINK", "'softmax'")
    answering = PREDICT.replace("LABELS", repr(_labels(folder)))
    (folder / "my_model.py").write_text(f"{own}{answering}")
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
            "--full",
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


def _labels(folder: Path) -> list[str]:
    with (folder / "reviews.csv").open(encoding="utf-8", newline="") as file:
        return sorted({row["stars"] for row in csv.DictReader(file)})


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
    monkeypatch.setattr("sightline.experiments.forecast.SECONDS", 0.1)
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
    blank, *places, following = printed[len(lines(found)) :]
    assert (blank, places) == ("", [f"Report    {page}", f"Saved     {saved}"])
    assert following.startswith("Next      ")
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
        assert forecast["to_run"] == forecast["runs"] - forecast["done"] > 0
        return
    found = run(command, "--json").json  # all of it is in the store now
    assert not found["partial"]
    assert all(name in done.out for names in found["row_names"] for name in names)
    values = [
        cell["value"] for row in found["rows"] for cell in row if isinstance(cell["value"], float)
    ]
    assert values
    assert len(found["rows"][0][0]["seeds"]) > 1


def _tabled(command: str, done: Ran, run: Callable[..., Ran], saved: Path) -> None:
    found = run(command, "--json").json
    assert found["rows"]
    for names, cells in zip(found["row_names"], found["rows"], strict=True):
        if not cells[0]["n"]:  # no text is predicted as this class
            continue
        assert cells[0]["low"] <= cells[0]["value"] <= cells[0]["high"]
        line = next(line for line in done.out.splitlines() if names[1] in line)
        assert f"n = {cells[0]['n']}" in line


CHECKS = {
    "audit": _audited,
    "check-data": _data_checked,
    "check-model": _model_checked,
    "look": _looked,
    "predict": _predicted,
    "study": _studied,
    "table": _tabled,
}
"""What is compared, by command."""


def test_the_guide_s_dry_run_writes_nothing(run: Callable[..., Ran], room: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in room.rglob("*")}
    done = run(TRAINED_HERE, "--dry-run", "--json")
    assert done.code == 0, done.err
    assert done.json["seconds_least"] <= done.json["seconds"]
    assert {path: path.stat().st_mtime_ns for path in room.rglob("*")} == before


@pytest.mark.slow
def test_the_guide_shows_what_the_demo_prints(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Word for word; numbers may lie as far apart as those of two processors."""
    assert DEMO_COMMAND in BLOCK.findall(FENCED.sub("", README))
    monkeypatch.chdir(tmp_path)
    done = call("demo", "--quiet", "--device", "cpu", "--threads", "1")
    assert done.code == 0, done.err
    (message,) = DEMO.findall(GUIDE)
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
    # A test near its threshold may end otherwise, which moves two counts by one.
    least = 1.0 if one.startswith("Tests ") else 0.0
    return all(
        abs(float(a) - float(b)) <= max(least, NEAR * max(1, abs(float(a)))) for a, b in pairs
    )


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
        ("score −0.15, 95 % CI −0.19", "score −0.14, 95 % CI −0.20", True),
        ("score −0.15, 95 % CI −0.19", "score −0.75, 95 % CI −0.79", False),
        ("Accuracy 90 %", "Accuracy 91 %", True),
        ("3 passed, 12 failed, 1 inconclusive", "2 passed, 12 failed, 2 inconclusive", True),
        ("3 passed, 12 failed, 1 inconclusive", "9 passed, 6 failed, 1 inconclusive", False),
        ("Attention must not be shown", "Attention can be shown", False),
        ("leave-one-out (Transfer score", "gradient (Transfer score", False),
    ],
)
def test_a_demo_that_differs_is_found(old: str, new: str, same: bool) -> None:
    (message,) = DEMO.findall(GUIDE)
    changed = message.replace(old, new, 1)
    assert changed != message
    assert (differences(message, changed) == []) == same


def test_the_readme_s_python_finds_what_its_command_does(
    run: Callable[..., Ran], capsys: pytest.CaptureFixture[str]
) -> None:
    """The snippet and the command give the same findings of the same model, on fewer texts."""
    (snippet,) = re.findall(r"^```python\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    cheap = snippet.replace('hf:my-classifier", data)', 'hf:my-classifier", data, limit=10)')
    assert cheap != snippet
    names: dict[str, Any] = {}
    exec(compile(cheap, "README.md", "exec"), names)
    audit = names["audit"]
    assert audit.headline in capsys.readouterr().out
    assert Path("report.html").stat().st_size > 10_000
    output = json.loads(run(OWN_MODEL, "--json").out)
    of_python = [
        (one["code"], one["result"], one["score"], one["threshold"])
        for one in audit.to_json()["findings"]
    ]
    assert [
        (one["code"], one["result"], one["score"], one["threshold"]) for one in output["findings"]
    ] == of_python


def test_the_readme_is_one_screen_and_one_install_line() -> None:
    assert len(README.splitlines()) <= 80
    (line,) = re.findall(r"^ {4}(pip install .+)$", README, re.MULTILINE)
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (extra,) = re.fullmatch(r"pip install '\.\[(\w+)\]'", line).groups()
    assert extra in extras["optional-dependencies"]


@pytest.mark.slow
def test_the_install_line_of_the_readme_installs() -> None:
    """As far as no network is needed: the package is built and its metadata are read."""
    (target,) = re.findall(r"^ {4}pip install '(.+)'$", README, re.MULTILINE)
    offline = ("--dry-run", "--no-deps", "--no-build-isolation", "--no-index", "--quiet")
    done = subprocess.run(
        [sys.executable, "-m", "pip", "install", *offline, target],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
