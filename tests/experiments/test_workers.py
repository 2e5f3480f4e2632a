"""A worker process: it ends with its parent, and what it cannot do for its cells is told."""

import os
import subprocess
import sys
from multiprocessing import Pipe
from pathlib import Path
from types import SimpleNamespace

import pytest

from sightline.core.errors import StoreError
from sightline.experiments.executors import parent_watch, worker
from tests.experiments.test_store import SPEC
from tests.living import lives, wait_for
from tests.sampling import slow_but

FAMILY = """
import multiprocessing, os, sys, time

def follow(pipe, without):
    from sightline.experiments.executors import parent_watch as parent
    setattr(parent, without, lambda *given: None)
    parent.end_with_parent()
    pipe.send(os.getpid())
    while True:
        pass

if __name__ == "__main__":
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    context.Process(target=follow, args=(there, sys.argv[1])).start()
    print(here.recv(), flush=True)
    time.sleep(600)
"""


@pytest.mark.parametrize("without", slow_but({0}, ["_wait_for", "_die_with"]))
def test_a_worker_ends_with_its_parent_by_each_of_two_ways(tmp_path: Path, without: str) -> None:
    script = tmp_path / "family.py"
    script.write_text(FAMILY)
    with subprocess.Popen(
        [sys.executable, str(script), without], stdout=subprocess.PIPE, text=True
    ) as family:
        child = int(family.stdout.readline())
        assert lives(child)
        family.kill()
        wait_for(lambda: not lives(child), 10)
    assert not lives(child)


def test_a_worker_watches_its_parent_and_leaves_when_its_pipe_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched: list[bool] = []
    monkeypatch.setattr(worker, "end_with_parent", lambda: watched.append(True))
    here, there = Pipe()
    here.close()
    worker.work(there, tmp_path, False)
    assert watched == [True]


def test_a_worker_whose_parent_ended_before_it_asked_ends_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    codes: list[int] = []
    monkeypatch.setattr(parent_watch, "ctypes", SimpleNamespace(CDLL=no_library))
    monkeypatch.setattr(os, "_exit", codes.append)
    parent_watch._die_with(os.getppid())
    assert codes == []
    parent_watch._die_with(os.getppid() + 1)
    assert codes == [parent_watch.ORPHANED]


def no_library(name: None) -> None:
    raise OSError("a system without it")


def test_what_the_disk_refuses_and_what_is_our_bug_is_told_to_the_parent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ended_by(error: Exception) -> object:
        def fail(*given: object, **options: object) -> None:
            raise error

        monkeypatch.setattr("sightline.experiments.run_in_store.run_stored", fail)
        return worker._tried(SPEC, tmp_path / "store", False)

    refused = StoreError("no lock")
    assert ended_by(refused) is refused
    assert repr(ended_by(KeyError("row"))) == repr(RuntimeError("KeyError: 'row'"))


def test_a_store_that_is_none_any_more_is_told_to_the_parent(tmp_path: Path) -> None:
    (tmp_path / "store.json").write_text('{"layout": 1}')
    assert isinstance(worker._tried(SPEC, tmp_path, False), StoreError)
