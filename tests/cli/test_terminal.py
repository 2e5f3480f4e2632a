"""What others wrote, in names, tables, studies and saved audits, is shown in signs and obeyed by no
terminal.
"""

import io
import json
import shutil
from pathlib import Path

import pytest
from rich.console import Console

from sightline.cli import progress
from sightline.cli.progress import RunBar, RunCounter
from tests.cli.conftest import Call, Finished, Ran, write_table
from tests.edits import put
from tests.terminal import OBEYED

HOSTILE = "x\x1b[2J\x1b]0;y\x07\u202e[red]z"
"""Clears the screen, sets the title of the window, rings, turns the order of letters, and looks
like markup."""


def printed(ran: Ran) -> str:
    """Give what a command printed, none of which a terminal may obey."""
    assert not OBEYED.search(ran.out + ran.err), (ran.out, ran.err)
    return ran.out + ran.err


def test_the_name_of_a_file(sightline: Call, here: Path) -> None:
    write_table(here / f"{HOSTILE}.csv")
    assert "␛" in printed(sightline("check-data", "--data", f"{HOSTILE}.csv"))


def test_where_a_report_was_written(sightline: Call, here: Path, finished: Finished) -> None:
    assert "␛" in printed(sightline("report", finished.saved, "--out", here / f"{HOSTILE}.html"))


def test_a_saved_audit_of_somebody_else(sightline: Call, here: Path, finished: Finished) -> None:
    theirs = shutil.copytree(finished.saved, here / "theirs")
    output = json.loads((theirs / "audit.json").read_text())
    other = output["verdict_detail"] | {"level": "must not be shown", "row": 2, "by_class": {}}
    output["verdict_detail"]["by_class"] = {HOSTILE: other}
    put(theirs / "audit.json", json.dumps(output))
    assert "␛" in printed(sightline("report", theirs, "--out", here / "page.html"))


def test_the_axes_of_a_study(sightline: Call, here: Path) -> None:
    write_table(here / f"{HOSTILE}.csv")
    name = json.dumps(f"{HOSTILE}.csv")
    study = (
        f"name = {name}\n[base]\nmodel = 'mlp(hidden=4)'\nlimit = 20\n[base.fit]\nepochs = "
        f"1\n[axes]\ndata = [{name}]\n"
    )
    (here / "study.toml").write_text(study)
    assert "␛" in printed(sightline("study", "study.toml", "--store", "store", "--dry-run"))
    assert "␛" in printed(sightline("study", "study.toml", "--store", "store"))
    assert "␛" in printed(sightline("results", "--store", "store"))


def test_the_progress_of_a_study(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = io.StringIO()
    console = Console(file=shown, force_terminal=True, width=200)
    monkeypatch.setattr(progress, "Console", lambda stderr: console)
    with progress._bars() as bars:
        RunCounter(2, RunBar(bars, 2)).ended("done", HOSTILE)
    assert "[red]z" in shown.getvalue()
    assert "\x1b[2J\x1b]0" not in shown.getvalue()
    with progress.runs_progress(2) as tell:
        tell("done", HOSTILE)
    assert "␛" in printed(Ran(0, *capsys.readouterr()))
