"""Studies on a Ray cluster of two nodes: the bits of one process, whatever is killed, and nothing
left behind.
"""

import json
import os
import platform
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from sightline.experiments.executors.local import Serial
from sightline.experiments.executors.ray_connection import ALONE, JoinedCluster, _courier
from sightline.experiments.grid import read_grid
from sightline.experiments.store import Store
from tests.experiments.nodes import MARK, Nodes, command_of, started_by, two_nodes
from tests.experiments.one_run import same
from tests.living import wait_for

STUDY = """
name = "spread"
[base]
data = "csv:table.csv"
model = "mlp(hidden=4)"
measures = ["need"]
companions = ["uniform"]
[base.fit]
epochs = 6
patience = 6
[axes]
seed = [0, 1, 2, 3]
"""


@pytest.fixture(scope="module")
def nodes() -> Iterator[Nodes]:
    with two_nodes() as found:
        yield found


@dataclass(frozen=True)
class Ground:
    """A study with a table beside it, and what it comes to in one process."""

    folder: Path
    whole: Store

    @contextmanager
    def started(
        self, nodes: Nodes, store: str, fd: int | None = None
    ) -> Iterator[subprocess.Popen[str]]:
        """Start the study on a cluster, from the folder of its table; kill what is left of it."""
        command = [
            sys.executable,
            "-m",
            "sightline",
            "study",
            "study.toml",
            "--store",
            store,
            "--json",
        ]
        with subprocess.Popen(
            [*command, "--workers", f"ray:{nodes.address}"],
            cwd=self.folder,
            text=True,
            stdout=subprocess.PIPE,
            env=nodes.environment,
            stderr=subprocess.PIPE,
            start_new_session=True,
            pass_fds=() if fd is None else (fd,),
            # A shell starts what runs in its background deaf to Ctrl-C, and children inherit that.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        ) as study:
            try:
                yield study
            finally:
                study.kill()

    def check_ended(self, study: subprocess.Popen[str], store: Path, message: str) -> None:
        """Wait for a study, and ask that it said so, and that its runs are those of one process,
        bit for bit.
        """
        out, said = study.communicate(timeout=240)
        assert (study.returncode, json.loads(out)["title"]) == (0, "spread"), said
        assert message in said
        keys, found = read_grid(self.folder / "study.toml").keys, Store(store)
        assert (set(found.keys()), found.check()) == (set(keys), ())
        assert all(same(self.whole.audit(key), found.audit(key)) for key in keys)
        assert list(store.rglob(".*")) == []


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Ground:
    folder = tmp_path_factory.mktemp("ground")
    rows = [f"{'good' if i % 2 else 'bad'} thing number {i},{i % 2}" for i in range(120)]
    (folder / "table.csv").write_text("\n".join(["text,label", *rows]))
    (folder / "study.toml").write_text(STUDY)
    whole = Store(folder / "whole")
    with chdir(folder):  # as the command is: an audit says by which path its texts were read
        endings = [
            done.ending for done in Serial().run(read_grid("study.toml").specs, whole, again=False)
        ]
    assert endings == ["done"] * 4
    return Ground(folder, whole)


def written(store: Path) -> dict[Path, int]:
    """Say of each run when it was written."""
    return {path: path.stat().st_mtime_ns for path in (store / "runs").glob("??/[!.]*/SHA256SUMS")}


@pytest.mark.slow
def test_a_study_that_is_interrupted_and_killed_goes_on_and_does_nothing_twice(
    nodes: Nodes, ground: Ground
) -> None:
    store = ground.folder / "store"
    with ground.started(nodes, "store") as study:
        wait_for(lambda: bool(nodes.at_work()))
        os.killpg(study.pid, signal.SIGINT)
        _, said = study.communicate(timeout=60)
    assert (study.returncode, said.splitlines()[-1]) == (
        130,
        "error: interrupted; nothing is half-written",
    )
    wait_for(lambda: not nodes.at_work(), 20)
    assert nodes.at_work() == []

    with ground.started(nodes, "store") as study:
        # Both at once: between two runs a worker is at none for a moment.
        wait_for(lambda: bool(written(store) and nodes.at_work()))
        study.kill()
        study.communicate()
    wait_for(lambda: not nodes.at_work(), 20)
    assert nodes.at_work() == []

    before = written(store)
    assert len(before) > 0
    with ground.started(nodes, "store") as study:
        ground.check_ended(study, store, "writes to the store itself")
    assert {path: time for path, time in written(store).items() if path in before} == before


@pytest.mark.slow
def test_a_store_that_no_node_sees_is_filled_though_a_node_is_killed(
    nodes: Nodes, ground: Ground
) -> None:
    place = ground.folder / "hidden"
    place.mkdir()
    hidden = os.open(
        place, os.O_RDONLY
    )  # by the number of a file that is open in the command, and nowhere else
    with ground.started(nodes, f"/proc/self/fd/{hidden}/store", hidden) as study:
        os.close(hidden)
        wait_for(lambda: len(written(place / "store")) == 1)
        nodes.kill_one()
        message = "does not see the store, and sends what it makes"
        ground.check_ended(study, place / "store", message)


DYING = f"""
import ctypes, sys, threading
threading.Thread(target=sys.stdin.read).start()
print(flush=True)
ctypes.CDLL(None).syscall({60 if platform.machine() == "x86_64" else 93}, 0)  # ends this thread alone
"""


def test_a_killed_worker_is_at_work_until_its_last_thread_has_ended() -> None:
    """Until then it holds its locks, and Linux tells its name and its environment no more."""
    with subprocess.Popen(
        [sys.executable, "-c", DYING, "ray::work"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        env={**os.environ, MARK: "dying"},
    ) as process:  # fmt: skip
        process.stdout.readline()
        wait_for(lambda: not Path(f"/proc/{process.pid}/cmdline").read_text(), 10)
        assert Path(f"/proc/{process.pid}/cmdline").read_text() == ""
        assert started_by("dying") == [process.pid]
        assert "ray::work" in command_of(process.pid)
        process.kill()
    assert started_by("dying") == []


LOOPBACK = ("0100007F", "0000000000000000FFFF00000100007F", "00000000000000000000000001000000")
"""127.0.0.1, the same within IPv6, and ::1, as Linux writes them."""


def listening(processes: list[int]) -> list[str]:
    """Name the addresses at which processes listen, as /proc/net writes them."""
    held = set()
    for process in processes:
        for number in Path(f"/proc/{process}/fd").glob("*"):
            try:
                held.add(str(number.readlink()))
            except OSError:
                continue
    rows = [
        line.split()
        for name in ("tcp", "tcp6")
        for line in Path(f"/proc/net/{name}").read_text().splitlines()[1:]
    ]
    return [
        row[1].partition(":")[0] for row in rows if row[3] == "0A" and f"socket:[{row[9]}]" in held
    ]


@pytest.mark.slow
def test_ray_on_this_machine_alone_listens_to_it_alone_and_leaves_no_file(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(MARK, "alone")
    with tempfile.TemporaryDirectory(dir="/tmp") as temporary:
        monkeypatch.setattr(tempfile, "tempdir", temporary)
        with _courier(ALONE) as (found, _):
            assert isinstance(found, JoinedCluster)
            (room,) = Path(temporary).iterdir()
            assert room.stat().st_mode & 0o777 == 0o700
            assert list(room.glob("ray/session_*/logs"))
            addresses = listening(started_by("alone"))
        assert len(addresses) > 3
        assert set(addresses) <= {*LOOPBACK}
        assert list(Path(temporary).iterdir()) == []
    wait_for(lambda: not of_ray(), 20)
    assert of_ray() == []


def of_ray() -> list[int]:
    """Name the processes that the Ray of this machine alone has left; multiprocessing keeps a
    helper of its own.
    """
    return [
        process for process in started_by("alone") if "resource_tracker" not in command_of(process)
    ]
