"""A worker process: it ends with its parent, and what it cannot do for its runs is told."""

import signal
import subprocess
import sys
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest

from sightline.core.errors import StoreError
from sightline.experiments.executors import local
from sightline.experiments.executors.child_process import start
from tests.experiments.one_run import SPEC
from tests.living import lives, wait_for

FAMILY = """
import multiprocessing, os, sys, time

def follow(pipe):
    from sightline.experiments.executors.child_process import end_with_parent
    end_with_parent()
    pipe.send(os.getpid())
    while True:
        pass

if __name__ == "__main__":
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    context.Process(target=follow, args=(there,)).start()
    print(here.recv(), flush=True)
    time.sleep(600)
"""


def test_a_worker_ends_with_its_parent_whatever_it_is_at(tmp_path: Path) -> None:
    script = tmp_path / "family.py"
    script.write_text(FAMILY)
    with subprocess.Popen(
        [sys.executable, str(script)], stdout=subprocess.PIPE, text=True
    ) as family:
        child = int(family.stdout.readline())
        assert lives(child)
        family.kill()
        wait_for(lambda: not lives(child), 10)
    assert not lives(child)


def ignores(pipe: Connection) -> None:
    """Say what becomes of Ctrl-C in a child."""
    waiting = signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, set())
    pipe.send((signal.getsignal(signal.SIGINT) is signal.SIG_IGN, waiting))


def nothing(pipe: Connection) -> None:
    """End at once."""


def test_ctrl_c_while_a_worker_starts_reaches_the_parent_and_no_child(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun, usual = list[BaseProcess](), BaseProcess.start

    def begin(self: BaseProcess) -> None:
        begun.append(self)
        signal.raise_signal(signal.SIGINT)
        usual(self)

    heard = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        process, pipe = start(ignores)
        assert pipe.recv() == (True, False)
        process.join()
        monkeypatch.setattr(BaseProcess, "start", begin)
        with pytest.raises(KeyboardInterrupt):
            start(nothing)
        (child,) = begun
        child.join(60)
        assert child.exitcode == 0
    finally:
        signal.signal(signal.SIGINT, heard)
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, set())


def test_a_worker_watches_its_parent_and_leaves_when_its_pipe_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched: list[bool] = []
    monkeypatch.setattr(local, "end_with_parent", lambda: watched.append(True))
    here, there = Pipe()
    here.close()
    local.work(there, tmp_path, False)
    assert watched == [True]


def test_what_the_disk_refuses_and_what_is_our_bug_is_told_to_the_parent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ended_by(error: Exception) -> object:
        def fail(*given: object, **options: object) -> None:
            raise error

        monkeypatch.setattr("sightline.experiments.run_in_store.run_stored", fail)
        return local._tried(SPEC, tmp_path / "store", False)

    refused = StoreError("no lock")
    assert ended_by(refused) is refused
    assert repr(ended_by(KeyError("row"))) == repr(RuntimeError("KeyError: 'row'"))


def test_a_store_that_is_none_any_more_is_told_to_the_parent(tmp_path: Path) -> None:
    (tmp_path / "store.json").write_text('{"layout": 1}')
    assert isinstance(local._tried(SPEC, tmp_path, False), StoreError)
