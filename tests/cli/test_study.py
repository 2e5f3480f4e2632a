"""`study` and `results`: grids in a store, resumed, listed, exported; the study in `examples/` as
it stands.
"""

import csv
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from sightline.experiments.executors.local import Serial
from sightline.experiments.grid import read_grid
from sightline.experiments.store import Store
from tests.cli.conftest import Call, Ran
from tests.experiments.one_run import same
from tests.living import lives, wait_for, workers_of

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
# few texts have a set that flips them
ALONE = "the interval of one seed alone is its own, over its n texts (95 %)"
WITHOUT = "[no interval]: all seeds, or all texts, have the same value, so none is known"
UNASKED = "left out, because no run was asked for them: SL-401, SL-107"
MEANS = "means with Student’s t interval over 2 seeds (95 %), n: texts of the seed with the fewest"


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    file = tmp_path / "tiny.toml"
    file.write_text(TINY)
    return file


@dataclass(frozen=True)
class Resumed:
    """A study of which three of four runs were made first, with when each was written; then it was
    run to the end.
    """

    file: Path
    store: Path
    first: Ran
    written: Mapping[Path, int]
    second: Ran
    table: Path


@pytest.fixture(scope="module")
def resumed(sightline: Call, tmp_path_factory: pytest.TempPathFactory) -> Resumed:
    folder = tmp_path_factory.mktemp("resumed")
    (file := folder / "tiny.toml").write_text(TINY)
    store, table = folder / "store", folder / "T.CSV"  # an ending may be in capitals
    first = sightline("study", file, "--store", store, "--limit", 3, "--quiet")
    written = {path: path.stat().st_mtime_ns for path in (store / "runs").glob("??/*/SHA256SUMS")}
    second = sightline("study", file, "--store", store, "--json", "--quiet", "--table", table)
    return Resumed(file, store, first, written, second, table)


def test_a_study_is_run_resumed_and_tabulated(sightline: Call, resumed: Resumed) -> None:
    first, second, tiny, store = resumed.first, resumed.second, resumed.file, resumed.store
    assert first.code == 0
    assert first.out.startswith("tiny (partial: 1 missing, of 4 runs)\n")
    assert first.out.count("missing: ") == 1
    assert "missing: model = bilstm(hidden=4), seed = 1" in first.out
    assert len(resumed.written) == 3
    assert (second.code, second.err) == (0, "")
    assert all(
        path.stat().st_mtime_ns == then for path, then in resumed.written.items()
    )  # not redone
    table = second.json
    assert (table["title"], table["row_axes"], table["notes"]) == (
        "tiny",
        ["model"],
        [UNASKED, MEANS, ALONE, WITHOUT],
    )
    chosen = ("--columns", "accuracy, agreement.significant.gradient", "--spread", "sd")
    third = sightline("study", tiny, "--store", store, "--json", "--quiet", *chosen).json
    assert third["columns"] == ["accuracy", "agreement.significant.gradient"]
    assert all(cell["sd"] is not None and cell["low"] is None for cell in third["rows"][0])
    accuracy = table["rows"][0][table["columns"].index("accuracy")]
    assert (accuracy["seeds"], accuracy["n"], len(accuracy["runs"])) == ([0, 1], 20, 2)
    with resumed.table.open(newline="") as file:
        lines = list(csv.DictReader(file))
    assert len(lines) == 2 * len(table["columns"])
    again = [
        line for line in lines if (line["model"], line["column"]) == ("mlp(hidden=4)", "accuracy")
    ]
    assert float(again[0]["value"]) == accuracy["value"]


def test_a_dry_run_of_what_is_done_plans_nothing(sightline: Call, resumed: Resumed) -> None:
    planned = sightline("study", resumed.file, "--store", resumed.store, "--dry-run")
    assert planned.out.splitlines()[-1] == "4 runs, 4 done, 0 failed, 0 to run"


def test_a_dry_run_plans_and_writes_nothing(sightline: Call, tiny: Path, tmp_path: Path) -> None:
    done = sightline(
        "study", tiny, "--store", tmp_path / "store", "--dry-run", "--json", "--workers", 2
    )
    assert done.json["to_run"] == done.json["runs"] == 4
    assert done.json["hours"] > 0
    assert done.json["hours"] == done.json["hours_least"]  # of one epoch
    assert done.json["basis"].endswith(
        "of 2 data and models that were never run; the others like these"
    )
    assert [path.name for path in tmp_path.iterdir()] == ["tiny.toml"]
    sightline("study", tiny, "--store", tmp_path / "store", "--limit", 2, "--quiet")
    planned = sightline("study", tiny, "--store", tmp_path / "store", "--dry-run")
    assert "4 runs, 2 done, 0 failed, 2 to run" in planned.out
    assert "2 runs that are done, of 1 data and models" in planned.out
    assert planned.out.count("to run  ") == 2
    assert "MiB" in planned.out


@pytest.mark.parametrize(
    "workers",
    [
        "0",
        "-1",
        "two",
        "٣",
        "ray:",
        "ray:here",
        "ray:a b:1",
        "ray:ray://a:1",
        "Ray",
        "slurm",
        "slurm:0",
    ],
)
def test_workers_are_a_number_or_a_cluster(
    sightline: Call, tiny: Path, tmp_path: Path, workers: str
) -> None:
    done = sightline("study", tiny, "--store", tmp_path / "store", f"--workers={workers}")
    message = (
        "error: --workers: expected a number above 0, ray, ray:HOST:PORT or slurm:JOBS, got "
        f"{workers!r}\n"
    )
    assert (done.code, done.out, done.err) == (2, "", message)
    assert not (tmp_path / "store").exists()


def test_a_plan_for_slurm_counts_its_jobs(sightline: Call, tiny: Path, tmp_path: Path) -> None:
    asked = ("--store", tmp_path / "store", "--dry-run", "--json", "--workers", "slurm:5")
    planned = sightline("study", tiny, *asked)
    assert (planned.code, planned.json["workers"]) == (0, 5)


@pytest.mark.slow
def test_a_cluster_that_cannot_be_reached_is_said_and_no_cell_fails(
    sightline: Call, tiny: Path, tmp_path: Path
) -> None:
    asked = ("study", tiny, "--store", tmp_path / "store", "--workers", "ray:127.0.0.1:1")
    done = sightline(*asked)
    message = (
        "--workers: ray:127.0.0.1:1: no answer ([Errno 111] Connection refused); `ray start "
        "--head` starts"
    )
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"4 runs to make\nerror: {message}")
    assert list((tmp_path / "store").glob("runs/*")) == []
    planned = sightline(*asked, "--dry-run", "--json")
    assert (planned.code, planned.json["workers"], planned.json["to_run"]) == (0, 1, 4)
    assert "planned for one worker: workers: ray:127.0.0.1:1: no answer" in planned.err


def test_a_plan_for_a_cluster_counts_its_processors(
    sightline: Call, tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "sightline.experiments.executors.ray_cluster.Cluster.processors", lambda cluster: 7
    )
    planned = sightline(
        "study", tiny, "--store", tmp_path / "store", "--dry-run", "--json", "--workers", "ray"
    )
    assert (planned.code, planned.json["workers"]) == (0, 7)


@pytest.mark.parametrize(
    ("axis", "message"),
    [
        ('"data.label" = ["label", "zebra"]', "there is no column 'zebra' to read as 'label'"),
        ('data = ["{table}", "broken.csv"]', "broken.csv:2: "),
        ('model = ["mlp(hidden=4)", "mlp(hidden=-1)"]', "hidden"),
    ],
)
def test_a_study_that_cannot_be_run_whole_ends_before_anything_runs(
    sightline: Call, here: Path, table: Path, no_training, axis: str, message: str
) -> None:
    (here / "broken.csv").write_text("text,label\na,b,c,d\n")
    base = f'name = "x"\n[base]\ndata = "{table}"\nmodel = "mlp(hidden=4)"\n[axes]\n'
    (here / "s.toml").write_text(base + axis.replace("{table}", str(table)) + "\n")
    done = sightline("study", "s.toml", "--store", "store", "--quiet")
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    kept = [
        path for path in here.rglob("*") if path.suffix == ".json" and path.name != "store.json"
    ]
    assert kept == []


def test_failed_cells_are_told_kept_and_run_again(
    sightline: Call, tiny: Path, tmp_path: Path
) -> None:
    tiny.write_text(TINY.replace('"bilstm(hidden=4)"', '"mlp(hidden=4)+query"'))
    done = sightline("study", tiny, "--store", tmp_path / "store", "--quiet")
    assert done.code == 4
    assert done.err == "2 of 4 runs failed; --retry-failed makes them again\n"
    assert "failed: model = mlp(hidden=4)+query, seed = 0: ModelError: text needle:" in done.out
    listed = sightline("results", "--store", tmp_path / "store", "--json").json
    assert sorted(run["state"] for run in listed) == ["done", "done", "failed", "failed"]
    before = {
        p: p.stat().st_mtime_ns for p in (tmp_path / "store" / "runs").glob("??/*/SHA256SUMS")
    }
    assert sightline("study", tiny, "--store", tmp_path / "store", "--quiet").code == 4
    assert all(p.stat().st_mtime_ns == then for p, then in before.items())
    assert (
        sightline("study", tiny, "--store", tmp_path / "store", "--quiet", "--retry-failed").code
        == 4
    )
    assert sum(p.stat().st_mtime_ns != then for p, then in before.items()) == 2


@pytest.mark.slow
def test_cells_that_another_process_is_at_are_left_to_it_and_said_to_be(
    sightline: Call, tiny: Path, tmp_path: Path
) -> None:
    store, kept, keys = tmp_path / "store", Store(tmp_path / "store"), read_grid(tiny).keys
    waits = "2 of 4 runs are being made by another process, or are waiting for one; run the study again when it has ended\n"
    lacking = "2 being made by another process, of 4 runs"
    held = "being made by another process: model = mlp(hidden=4), seed = 1"
    with kept.claim_run(keys[1]), kept.claim_run(keys[2]):
        first = sightline(
            "study", tiny, "--store", store, "--quiet", "--json", "--table", tmp_path / "t.csv"
        )
        assert (first.code, first.err, first.json["partial"]) == (4, waits, lacking)
        assert held in first.json["notes"]
        with (tmp_path / "t.csv").open(newline="") as file:
            assert {line["note"] for line in csv.DictReader(file) if line["value"]} == {
                "1 of 2 seeds"
            }
        for form in ("md", "tex"):
            again = sightline(
                "study", tiny, "--store", store, "--quiet", "--table", tmp_path / f"t.{form}"
            )
            assert (again.code, again.err) == (4, waits)
            assert f"(partial: {lacking})" in (tmp_path / f"t.{form}").read_text().replace("\\", "")
        assert again.out.startswith(f"tiny (partial: {lacking})\n")
        assert held in again.out
    whole = sightline("study", tiny, "--store", store, "--quiet", "--json")
    assert (whole.code, whole.err, whole.json["partial"], whole.json["notes"]) == (
        0,
        "",
        "",
        [UNASKED, MEANS, ALONE, WITHOUT],
    )


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.slow
def test_a_store_that_cannot_be_locked_is_wrong_input_and_no_failure(
    sightline: Call, tiny: Path, tmp_path: Path, workers: int
) -> None:
    store = Store(tmp_path / "store")
    (store.root / "claims").write_text("a file where a folder should be")
    done = sightline("study", tiny, "--store", store.root, "--quiet", "--workers", workers)
    assert (done.code, done.out) == (2, "")
    assert re.fullmatch(
        r"error: .*cannot be locked .*; use a store that can be written\n", done.err
    )
    assert store.keys() == ()


def test_results_lists_and_exports(sightline: Call, resumed: Resumed, tmp_path: Path) -> None:
    store = resumed.store
    listed = sightline("results", "--store", store, "--csv", tmp_path / "runs.csv")
    assert listed.out.splitlines()[-1] == "4 runs"
    assert "mlp(hidden=4)+additive+softmax" in listed.out
    with (tmp_path / "runs.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    kept = next(
        one for one in Store(store).summaries() if one.model == "mlp(hidden=4)+additive+softmax"
    )
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
        (
            ["study", "FILE", "--store", "s", "--table", "t.xls"],
            "expected a name that ends in .md, .csv, .tex",
        ),
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


def start(file: Path, store: Path) -> subprocess.Popen[str]:
    command = [
        sys.executable,
        "-m",
        "sightline",
        "study",
        str(file),
        "--store",
        str(store),
        "--workers",
        "2",
    ]
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
seed = [0, 1, 2, 3]
"""


def damage(file: Path, place: int) -> None:
    """Cut a file short, or flip a bit in its middle."""
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content if place % 2 else content[:-7])


def stop(
    study: Path, store: Path, send: Callable[[int, int], None], signal_sent: int
) -> tuple[int, str]:
    """Start a study, stop it as soon as a worker has a run, and give its exit code and its last
    words.
    """
    shutil.rmtree(store / "claims")
    stopped = start(study, store)
    wait_for(lambda: any((store / "claims").glob("run-*")))
    workers = workers_of(stopped.pid)
    send(stopped.pid, signal_sent)
    _, message = stopped.communicate(timeout=60)
    assert "Traceback" not in message
    *_, advice, last = message.splitlines()
    assert advice == (
        "stopped: the finished runs are kept, and the same command resumes with what is left"
    )
    assert [worker for worker in workers if lives(worker)] == []
    return stopped.returncode, last


@pytest.mark.slow
def test_killed_and_interrupted_studies_end_as_unbroken_ones(
    sightline: Call, tmp_path: Path
) -> None:
    """The reduced form of what `make validate` does for minutes: killed, interrupted, terminated,
    files cut, bits flipped.
    """
    study, broken, whole = tmp_path / "study.toml", tmp_path / "broken", Store(tmp_path / "whole")
    study.write_text(BREAKABLE)
    grid = read_grid(study)
    killed = start(study, broken)
    wait_for(lambda: len(list((broken / "runs").glob("??/[!.]*/SHA256SUMS"))) >= 2)
    workers = workers_of(killed.pid)
    killed.kill()  # the parent alone: its workers see to themselves
    killed.communicate()
    wait_for(lambda: not any(map(lives, workers)), 10)
    assert (len(workers), [worker for worker in workers if lives(worker)]) == (2, [])
    for place, run in enumerate(sorted((broken / "runs").glob("??/[!.]*"))):
        damage(run / ("arrays.npz", "audit.json")[place % 2], place)
    shutil.rmtree(
        broken / "trainings"
    )  # so that there is enough to do for a signal to come in time
    assert stop(study, broken, os.killpg, signal.SIGINT) == (
        130,
        "error: interrupted; nothing is half-written",
    )
    assert stop(study, broken, os.kill, signal.SIGTERM) == (
        143,
        "error: terminated; nothing is half-written",
    )
    last = sightline("study", study, "--store", broken)
    assert (last.code, "missing" in last.out) == (0, False)
    assert {done.ending for done in Serial().run(grid.specs, whole, again=False)} == {"done"}
    store = Store(broken)
    assert all(same(whole.audit(key), store.audit(key)) for key in grid.keys)
    assert len(list(store.summaries())) == len(grid.specs) == 8
    assert json.loads((broken / "store.json").read_text()) == {"layout": 2}
