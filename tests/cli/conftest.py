"""A command line to call in this process, a small table to call it with, and one audit that many
tests look at.
"""

import contextlib
import csv
import io
import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from sightline.cli.app import run
from tests.troubles.tables import REST

TINY = ("--model", "mlp(hidden=8)+additive", "--epochs", "2", "--quiet")


@dataclass(frozen=True)
class Ran:
    """What a command left: its exit code and what it printed."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict:
        """Its stdout, as strict JSON: NaN and Infinity, which Python would let pass, are
        refused.
        """

        def refuse(constant: str) -> None:
            raise AssertionError(f"{constant} is not JSON")

        return json.loads(self.out, parse_constant=refuse)


Call = Callable[..., Ran]


def call(*arguments: object) -> Ran:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run([str(argument) for argument in arguments])
    return Ran(code, out.getvalue(), err.getvalue())


@pytest.fixture(scope="session")
def sightline() -> Call:
    return call


@pytest.fixture(autouse=True)
def _short_estimates(monkeypatch: pytest.MonkeyPatch) -> None:
    """Time estimates on few texts: how close they come is tested with `forecast` itself."""
    monkeypatch.setattr("sightline.experiments.forecast.SECONDS", 0.1)
    monkeypatch.setattr("sightline.experiments.report_cost.TEXTS", 20)


def write_table(path: Path, n: int = 120) -> Path:
    """Texts of eight to ten words that all differ; one word tells the label."""
    drawn = random.Random(7)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("text", "label"))
        for i in range(n):
            words = drawn.choices(REST, k=7 + i % 3)
            words.insert(
                drawn.randrange(len(words)), ("good", "bad")[i % 2] + str(drawn.randrange(3))
            )
            writer.writerow((" ".join([*words, f"zyx{i}"]), ("pos", "neg")[i % 2]))
    return path


@pytest.fixture(scope="session")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_table(tmp_path_factory.mktemp("table") / "reviews.csv")


@dataclass(frozen=True)
class Finished:
    """An audit that was run once, and what it wrote."""

    ran: Ran
    page: Path
    saved: Path


@pytest.fixture(scope="session")
def finished(sightline: Call, table: Path, tmp_path_factory: pytest.TempPathFactory) -> Finished:
    folder = tmp_path_factory.mktemp("finished")
    page, saved = folder / "report.html", folder / "audit"
    return Finished(
        sightline(
            "audit", "--data", table, *TINY, "--full", "--out", page, "--save", saved, "--json"
        ),
        page,
        saved,
    )


@pytest.fixture
def no_training(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no model be trained: what must be refused before training is refused without it."""

    def fail(*arguments: object, **options: object) -> None:
        raise AssertionError("a model was trained")

    monkeypatch.setattr("sightline.experiments.training_jobs.fit", fail)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in, so that a forgotten --out writes into nothing of ours."""
    monkeypatch.chdir(tmp_path)
    return tmp_path
