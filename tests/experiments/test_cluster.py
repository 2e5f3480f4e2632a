"""Studies on a Ray cluster of two nodes: the bits of one process, whatever is killed, and nothing left behind."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path

import pytest

from sightline.experiments.executors.serial import Serial
from sightline.experiments.grid import read_grid
from sightline.experiments.store import Store
from tests.experiments.nodes import Nodes, two_nodes
from tests.experiments.test_store import same
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
def nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nodes]:
    with two_nodes(tmp_path_factory.mktemp("ray")) as found:
        yield found


@dataclass(frozen=True)
class Ground:
    folder: Path
    whole: Store

    def start(self, nodes: Nodes, store: str, *more: str, fd: int | None = None) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "sightline", "study", "study.toml", "--store", store, "--json"]
        return subprocess.Popen(
            [*command, "--workers", f"ray:{nodes.address}", *more], cwd=self.folder, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True, pass_fds=() if fd is None else (fd,),
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )  # fmt: skip

    def equals(self, store: Store) -> bool:
        keys = read_grid(self.folder / "study.toml").keys
        assert set(keys) == set(store.keys())
        assert store.check() == ()
        return all(same(self.whole.audit(key), store.audit(key)) for key in keys)


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Ground:
    folder = tmp_path_factory.mktemp("ground")
    rows = [f"{'good' if i % 2 else 'bad'} {word} thing number {i},{i % 2}" for i in range(120) for word in ["a"]]
    (folder / "table.csv").write_text("\n".join(["text,label", *rows]))
    (folder / "study.toml").write_text(STUDY)
    whole = Store(folder / "whole")
    with chdir(folder):  # as the command is: what a cell is called has the path of its table
        endings = [done.ending for done in Serial().run(read_grid("study.toml").cells, whole, again=False)]
    assert endings == ["done"] * 4
    return Ground(folder, whole)


def runs(store: Path) -> dict[Path, int]:
    return {path: path.stat().st_mtime_ns for path in (store / "runs").glob("??/[!.]*/SHA256SUMS")}


def test_a_study_whose_driver_is_killed_is_resumed(nodes: Nodes, ground: Ground) -> None:
    store = ground.folder / "store"
    killed = ground.start(nodes, "store")
    wait_for(lambda: len(runs(store)) >= 1)
    killed.kill()
    killed.communicate()
    wait_for(lambda: not nodes.at_work(), 20)
    assert nodes.at_work() == []
    written = runs(store)
    out, err = ground.start(nodes, "store").communicate(timeout=120)
    assert json.loads(out)["title"] == "spread"
    assert "writes to the store itself" in err
    assert ground.equals(Store(store))
    assert {path: time for path, time in runs(store).items() if path in written} == written


def test_blind_and_node_killed(nodes: Nodes, ground: Ground) -> None:
    """The store is named by a descriptor of the command's own: no other process finds it there."""
    place = ground.folder / "blind"
    place.mkdir()
    fd = os.open(place, os.O_RDONLY)
    study = ground.start(nodes, f"/proc/self/fd/{fd}/store", fd=fd)
    os.close(fd)
    wait_for(lambda: len(runs(place / "store")) >= 1)
    nodes.kill_one()
    out, err = study.communicate(timeout=120)
    assert json.loads(out)["title"] == "spread"
    print(err)
    assert "does not see the store" in err
    assert ground.equals(Store(place / "store"))
