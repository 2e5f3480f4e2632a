"""Whose fault it is: code of the user's that raises, leaves, prints or breaks ends with 2 and its
own name.
"""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from sightline.cli.app import run
from tests.cli.conftest import Call, Ran
from tests.cli.own_models import FILE, write
from tests.cli.test_exit_codes import one_error

LATER = """
_build = build
calls = 0

def build():
    model = _build()
    own = model.calls.trace

    def trace(batch, vectors):
        global calls
        calls += 1
        if calls > AFTER:
            DO
        return own(batch, vectors)

    return dataclasses.replace(model, calls=dataclasses.replace(model.calls, trace=trace))
"""


def later(here: Path, does: str, after: int) -> str:
    """Write a model that does something else from a call of trace on."""
    text = FILE + "\nimport dataclasses\n" + LATER.replace("AFTER", str(after)).replace("DO", does)
    return f"py:{write(here, text)}:build"


def calls_of_checks(sightline: Call, here: Path) -> int:
    """How often the checks call trace."""
    model = later(here, "pass", 0)
    assert sightline("check-model", model).code == 0
    return int(sys.modules[model.split(":")[1]].calls)


@pytest.fixture(autouse=True)
def _path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))


WRONG = {
    "raise ZeroDivisionError('no head')": "raised ZeroDivisionError: no head (mine_",
    "import sys; sys.exit(7)": "raised SystemExit: 7 (mine_",
    "raise type('PanicException', (BaseException,), {})('index out of bounds')": "raised PanicException: index out",
}


@pytest.mark.parametrize("does", WRONG)
@pytest.mark.parametrize("command", ["audit", "look", "predict", "check-model"])
def test_what_a_model_raises_is_its_own_fault(
    sightline: Call, here, table, command: str, does: str
) -> None:
    checked = command in ("audit", "look")
    model = later(here, does, calls_of_checks(sightline, here) + 1 if checked else 0)
    asked = {
        "audit": ("audit", "--data", table, "--model", model, "--quiet", "--out", here / "r.html"),
        "look": ("look", model, "good film " * 60, "--map", "deletion", "--map", "integrated"),
        "predict": ("predict", model, "good film"),
        "check-model": ("check-model", model),
    }
    done = sightline(*asked[command])
    assert done.code == 2
    if command == "check-model":
        assert WRONG[does] in done.out
        return
    *notes, last = done.err.splitlines()
    assert notes == (
        ["note: no split column: every row is a test text"] if command == "audit" else []
    )
    result = one_error(last)
    assert done.out == ""
    assert WRONG[does] in result
    assert "Tiny" in result
    assert "bug" not in result
    assert not (here / "r.html").exists()


WAYS = ["print('loud')", "import os; os.write(1, b'loud')", "import os; os.system('echo loud')"]


@pytest.fixture
def on_stdout(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Ran]:
    """Run a command whose stdout is that of the process: a model may write past Python's."""

    def run_there(*arguments: object) -> Ran:
        with open(1, "w", closefd=False) as stdout:
            monkeypatch.setattr(sys, "stdout", stdout)
            code = run([str(argument) for argument in arguments])
        return Ran(code, *capfd.readouterr())

    return run_there


@pytest.mark.parametrize("tells", WAYS)
@pytest.mark.parametrize("command", ["audit", "look", "predict", "check-model"])
def test_what_a_model_prints_is_no_part_of_the_output(
    on_stdout: Callable[..., Ran], here, table, tells: str, command: str
) -> None:
    model = later(here, tells, 3)
    asked = {
        "audit": [
            "audit",
            "--data",
            table,
            "--model",
            model,
            "--quiet",
            "--out",
            here / "r.html",
            "--json",
        ],
        "look": ["look", model, "good film", "--json"],
        "predict": ["predict", model, "good film", "bad story", "good", "bad", "--json"],
        "check-model": ["check-model", model, "--json"],
    }
    if command == "predict":
        asked["predict"][1] = later(here, tells, 0)
    done = on_stdout(*asked[command])
    assert done.code == 0, done.err
    assert done.json
    assert "loud" in done.err


def test_predictions_on_stdout_are_lines_of_a_table_alone(
    on_stdout: Callable[..., Ran], here
) -> None:
    done = on_stdout("predict", later(here, "print('loud')", 0), "good film", "bad story")
    assert done.code == 0
    assert "loud" not in done.out
    assert len(done.out.splitlines()) == 3


def test_a_model_that_ends_the_process_says_so(here, table) -> None:
    page = here / "r.html"
    done = shell(
        here,
        "audit",
        "--data",
        table,
        "--model",
        later(here, "import os; os._exit(0)", 3),
        "--out",
        page,
    )
    assert done.returncode == 2
    assert b"the code of the model ended this process, by os._exit(0)" in done.stderr
    assert (done.stdout, page.exists()) == (b"", False)


@pytest.mark.slow
def test_a_process_that_a_model_forks_may_leave(here) -> None:
    forks = "import os; pid = os.fork(); os._exit(0) if pid == 0 else os.waitpid(pid, 0)"
    done = shell(here, "predict", later(here, forks, 0), "good film")
    assert (done.returncode, done.stderr) == (0, b"")


def test_leaving_while_a_command_runs_is_never_silent(
    sightline: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    def leave(*_: object, **__: object) -> None:
        try:
            Path("nowhere").rename("elsewhere")
        except FileNotFoundError:  # what went before is no broken pipe
            sys.exit(5)

    monkeypatch.setattr("sightline.cli.list_.print_lines", leave, raising=False)
    monkeypatch.setattr("sightline.cli.list_.emit", leave, raising=False)
    done = sightline("list")
    assert done.code == 2
    assert "sys.exit(5)" in one_error(done.err)


def shell(here: Path, *arguments: object) -> "subprocess.CompletedProcess[bytes]":
    environ = {**os.environ, "OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"}
    words = [sys.executable, "-m", "sightline", *map(str, arguments)]
    return subprocess.run(words, cwd=here, env=environ, capture_output=True, check=False)
