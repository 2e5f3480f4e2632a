"""`study` and `results`: grids in a store, resumed, listed, exported; the study in `examples/` as it stands."""

import csv
import gc
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from sightline.experiments.executors.serial import Serial
from sightline.experiments.grid import read_grid
from sightline.experiments.store import Store
from tests.cli.conftest import Call
from tests.experiments.test_store import same

TINY = """
name = "tiny"
[base]
data = "planted:needle(n=120,length=6)"
model = "mlp(hidden=4)"
limit = 20
[base.fit]
epochs = 1
[axes]
model = ["mlp(hidden=4)", "bilstm(hidden=4)"]
seed = [0, 1]
"""


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    file = tmp_path / "tiny.toml"
    file.write_text(TINY)
    return file


def test_a_study_is_run_resumed_and_tabulated(sightline: Call, tiny: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    first = sightline("study", tiny, "--store", store, "--limit", 3, "--quiet")
    assert first.code == 0
    assert first.out.count("missing: ") == 1
    assert "missing: model = bilstm(hidden=4), seed = 1" in first.out
    runs = {path: path.stat().st_mtime_ns for path in (store / "runs").glob("??/*/SHA256SUMS")}
    assert len(runs) == 3
    second = sightline("study", tiny, "--store", store, "--json", "--quiet", "--table", tmp_path / "t.csv")
    assert (second.code, second.err) == (0, "")
    assert all(path.stat().st_mtime_ns == then for path, then in runs.items())  # what was there was not redone
    table = second.json
    assert (table["title"], table["row_axes"], table["notes"]) == ("tiny", ["model"], [])
    accuracy = table["rows"][0][table["columns"].index("accuracy")]
    assert (accuracy["seeds"], accuracy["n"], len(accuracy["runs"])) == ([0, 1], 20, 2)
    with (tmp_path / "t.csv").open(newline="") as file:
        lines = list(csv.DictReader(file))
    assert len(lines) == 2 * len(table["columns"])
    again = [line for line in lines if (line["model"], line["column"]) == ("mlp(hidden=4)", "accuracy")]
    assert float(again[0]["value"]) == accuracy["value"]


def test_a_dry_run_of_what_is_done_plans_nothing(sightline: Call, tiny: Path, tmp_path: Path) -> None:
    assert sightline("study", tiny, "--store", tmp_path / "store").code == 0
    planned = sightline("study", tiny, "--store", tmp_path / "store", "--dry-run")
    assert planned.out.splitlines()[-1] == "4 cells, 4 done, 0 failed, 0 to run"
    assert gc.isenabled()


def test_a_dry_run_plans_and_writes_nothing(sightline: Call, tiny: Path, tmp_path: Path) -> None:
    done = sightline("study", tiny, "--store", tmp_path / "store", "--dry-run", "--json", "--workers", 2)
    assert done.json["to_run"] == done.json["cells"] == 4
    assert done.json["hours"] > 0
    assert done.json["basis"] == "a trial of the first cell"
    assert [path.name for path in tmp_path.iterdir()] == ["tiny.toml"]
    sightline("study", tiny, "--store", tmp_path / "store", "--limit", 2, "--quiet")
    planned = sightline("study", tiny, "--store", tmp_path / "store", "--dry-run")
    assert "4 cells, 2 done, 0 failed, 2 to run" in planned.out
    assert "the mean of 2 cells that are done" in planned.out
    assert planned.out.count("to run  ") == 2
    assert "MiB" in planned.out


def test_failed_cells_are_told_kept_and_run_again(sightline: Call, tiny: Path, tmp_path: Path) -> None:
    tiny.write_text(TINY.replace('"bilstm(hidden=4)"', '"mlp(hidden=4)+query"'))
    done = sightline("study", tiny, "--store", tmp_path / "store", "--quiet")
    assert done.code == 4
    assert done.err == "2 of 4 cells failed; --retry-failed runs them again\n"
    assert "failed: model = mlp(hidden=4)+query, seed = 0: ModelError: text needle:" in done.out
    listed = sightline("results", "--store", tmp_path / "store", "--json").json
    assert sorted(run["state"] for run in listed) == ["done", "done", "failed", "failed"]
    before = {p: p.stat().st_mtime_ns for p in (tmp_path / "store" / "runs").glob("??/*/SHA256SUMS")}
    assert sightline("study", tiny, "--store", tmp_path / "store", "--quiet").code == 4
    assert all(p.stat().st_mtime_ns == then for p, then in before.items())
    assert sightline("study", tiny, "--store", tmp_path / "store", "--quiet", "--retry-failed").code == 4
    assert sum(p.stat().st_mtime_ns != then for p, then in before.items()) == 2


def test_results_lists_and_exports(sightline: Call, tiny: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    sightline("study", tiny, "--store", store, "--limit", 2, "--quiet")
    listed = sightline("results", "--store", store, "--csv", tmp_path / "runs.csv")
    assert listed.out.splitlines()[-1] == "2 runs"
    assert "mlp(hidden=4)+additive+softmax" in listed.out
    with (tmp_path / "runs.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    kept = next(iter(Store(store).summaries()))
    mine = {row["number"]: row for row in rows if row["key"] == kept.key}
    assert float(mine["accuracy"]["value"]) == kept.estimate("accuracy").value
    assert {"accuracy", "f1", "SL-101", "SL-301"} <= set(mine)
    assert mine["accuracy"]["model"] == "mlp(hidden=4)+additive+softmax"
    page = sightline("report", Store(store).run_folder(kept.key), "--out", tmp_path / "run.html")
    assert page.code == 0  # a run is a saved audit like any other


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["study", "none.toml", "--store", "s"], "none.toml"),
        (["study", "FILE", "--store", "s", "--table", "t.xls"], "expected a name that ends in .md, .csv, .tex"),
        (["study", "FILE", "--store", "FOLDER"], "exists and is not a store"),
        (["results", "--store", "nowhere"], "expected a folder that `sightline study` wrote"),
    ],
)
def test_what_cannot_be_read_is_one_line(
    arguments: list[str], said: str, sightline: Call, tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tiny.parent)
    (tiny.parent / "folder").mkdir()
    (tiny.parent / "folder" / "thesis.tex").write_text("precious")
    places = {"FILE": str(tiny), "FOLDER": str(tiny.parent / "folder")}
    done = sightline(*[places.get(word, word) for word in arguments])
    assert (done.code, len(done.err.splitlines())) == (2, 1)
    assert said in done.err
    assert not (tiny.parent / "s").exists() or arguments[1] != "none.toml"


def start(file: Path, store: Path, workers: int = 2) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "sightline", "study", str(file), "--store", str(store), "--workers", str(workers)]
    return subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        # A shell starts what runs in its background deaf to Ctrl-C, and children inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )


BREAKABLE = """
name = "breakable"
[base]
data = "planted:needle(n=160,length=8)"
companions = ["uniform"]
measures = ["agreement", "transplant"]
[base.fit]
epochs = 2
[axes]
model = ["mlp(hidden=8)+additive", "bilstm(hidden=8)+additive+random"]
seed = [0, 1, 2]
"""


def wait_for(reached: Callable[[], bool]) -> None:
    end = time.monotonic() + 120
    while not reached() and time.monotonic() < end:
        time.sleep(0.01)


def damage(file: Path, place: int) -> None:
    """Cut a file short, or flip a bit in its middle."""
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content if place % 2 else content[:-7])


def test_killed_and_interrupted_studies_end_as_unbroken_ones(tmp_path: Path) -> None:
    """The reduced form of what `make verify` does thirty times: SIGKILL to all, SIGINT, a file cut, a bit flipped."""
    study, broken, whole = tmp_path / "study.toml", tmp_path / "broken", Store(tmp_path / "whole")
    study.write_text(BREAKABLE)
    grid = read_grid(study)
    killed = start(study, broken)
    wait_for(lambda: len(list((broken / "runs").glob("??/[!.]*/SHA256SUMS"))) >= 2)
    os.killpg(killed.pid, signal.SIGKILL)
    killed.communicate()
    for place, run in enumerate(sorted((broken / "runs").glob("??/[!.]*"))):
        damage(run / ("arrays.npz", "audit.json")[place % 2], place)
    shutil.rmtree(broken / "trainings")  # so that there is enough to do for an interrupt to come in time
    shutil.rmtree(broken / "claims")
    stopped = start(study, broken)
    wait_for(lambda: any((broken / "claims").glob("run-*")))
    os.killpg(stopped.pid, signal.SIGINT)
    _, told = stopped.communicate(timeout=60)
    assert stopped.returncode == 130
    assert told.splitlines()[-1] == "error: interrupted; nothing is half-written"
    assert "Traceback" not in told
    last = start(study, broken, workers=1)
    printed, _ = last.communicate(timeout=300)
    assert (last.returncode, "missing" in printed) == (0, False)
    assert {done.ending for done in Serial().run(grid.cells, whole, again=False)} == {"done"}
    store = Store(broken)
    assert all(same(whole.audit(key), store.audit(key)) for key in grid.keys)
    assert len(list(store.summaries())) == len(grid.cells) == 6
    assert json.loads((broken / "store.json").read_text()) == {"layout": 2}
