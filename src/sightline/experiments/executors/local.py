"""Runs on this machine: one after the other in this process, or on local worker processes.

A worker imports this module before torch, which takes seconds; so no import at the top loads torch.
"""

from __future__ import annotations

import signal
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path

from sightline.config.run_keys import run_key
from sightline.config.specs import RunSpec
from sightline.core.errors import SightlineError, StoreError
from sightline.experiments.executors.child_process import end_with_parent, start
from sightline.experiments.executors.executor import KillCounts, RunOutcome, training_folders
from sightline.experiments.store import State, Store

_OWN_WILL = range(256)
"""Exit codes of a process that ended by itself. A killed process has another, on Windows a very
large one."""


@dataclass(frozen=True)
class Serial:
    """Executes runs one after the other in this process."""

    def run(self, specs: Sequence[RunSpec], store: Store, *, again: bool) -> Iterator[RunOutcome]:
        """Execute the runs in their order, in this process."""
        from sightline.experiments.run_in_store import run_stored  # noqa: PLC0415  (torch)

        for spec in specs:
            yield RunOutcome(spec, run_stored(spec, store, again=again))


@dataclass
class _Worker:
    process: BaseProcess
    pipe: Connection
    spec: RunSpec | None = None


@dataclass(frozen=True)
class Processes:
    """Executes runs on local processes, one torch thread each. A killed process is replaced, and
    its run repeated.
    """

    workers: int

    def run(self, specs: Sequence[RunSpec], store: Store, *, again: bool) -> Iterator[RunOutcome]:
        """Execute the runs; no worker is left behind, however this ends."""
        # A killed worker breaks a whole pool of concurrent.futures, and the pool does not say at
        # which run it was (decision 0016).
        queue = _Queue(deque(specs))
        crew: list[_Worker] = []
        try:
            for _ in range(min(self.workers, len(specs))):
                crew.append(_hire(store, again))  # noqa: PERF401  (one that is hired is in the crew, come what may)
            while queue.left or any(worker.spec for worker in crew):
                for worker in crew:
                    queue.give(worker, crew, store)
                ready = wait(
                    [end for worker in crew for end in (worker.pipe, worker.process.sentinel)]
                )
                for place, worker in enumerate(crew):
                    # Check once a round: a worker may die between two checks, and its run would be
                    # lost.
                    ended = worker.process.sentinel in ready
                    if ended or worker.pipe in ready:
                        yield from queue.hear(worker, ended, store)
                    if ended:
                        crew[place] = _hire(store, again)
        finally:
            for worker in crew:
                worker.process.kill()
            for worker in crew:
                worker.process.join()


@dataclass
class _Queue:
    """Runs that wait, and how often each has been tried."""

    left: deque[RunSpec]
    tries: KillCounts = field(default_factory=KillCounts)

    def give(self, worker: _Worker, crew: Sequence[_Worker], store: Store) -> None:
        """Hand a run to an idle worker: the next that waits for no training of another worker."""
        if worker.spec is None and self.left:
            made = {at for one in crew if one.spec is not None for at in _unmade(one.spec, store)}
            free = (spec for spec in self.left if made.isdisjoint(_unmade(spec, store)))
            worker.spec = next(free, self.left[0])
            self.left.remove(worker.spec)
            with suppress(OSError):  # it died meanwhile, as its sentinel shows
                worker.pipe.send(worker.spec)

    def hear(self, worker: _Worker, ended: bool, store: Store) -> Iterator[RunOutcome]:
        """Read what a worker sent. One that has ``ended`` without a message was killed."""
        spec, reply = worker.spec, None
        with suppress(EOFError, OSError):
            if worker.pipe.poll():
                reply = worker.pipe.recv()
        if spec is None or (reply is None and not ended):
            return
        worker.spec = None
        if isinstance(reply, Exception):
            raise reply
        yield RunOutcome(spec, reply) if reply is not None else self._killed(spec, worker, store)

    def _killed(self, spec: RunSpec, worker: _Worker, store: Store) -> RunOutcome:
        worker.process.join()
        _check_killed(worker.process.exitcode, spec)
        cause = f"its worker was killed ({_cause(worker.process.exitcode)})"
        with store.claim_run(run_key(spec)) as mine:
            if not mine:  # another study has taken it up meanwhile
                return RunOutcome(spec, store.state(run_key(spec)))
            done = self.tries.killed(spec, cause, store)
        if done.ending == "killed":
            self.left.append(spec)
        return done


def _unmade(spec: RunSpec, store: Store) -> set[Path]:
    """Name the trainings that a run needs and the store lacks: a worker that makes one of them lets
    every other that needs it wait.
    """
    return {folder for folder in training_folders(spec, store) if not folder.exists()}


def _check_killed(code: int | None, spec: RunSpec) -> None:
    """Raise if a worker gave up by itself: that is a problem of the worker, and no run failed."""
    if code in _OWN_WILL:
        message = (
            f"a worker ended with code {code} and no result of {spec.model} on {spec.data}, seed "
            f"{spec.seed}"
        )
        raise SightlineError(f"{message}; what it said is above, and --workers 1 needs no worker")


def _cause(code: int | None) -> str:
    if code is None or code >= 0:
        return f"exit code {code}"
    with suppress(ValueError):
        return signal.Signals(-code).name
    return f"signal {-code}"


def _hire(store: Store, again: bool) -> _Worker:
    return _Worker(*start(work, store.root, again))


def work(pipe: Connection, root: Path, again: bool) -> None:
    """Execute the runs that arrive through a pipe, until it is closed or the parent has ended."""
    end_with_parent()
    with suppress(EOFError, BrokenPipeError):  # the parent has ended: finished runs are kept
        while True:
            pipe.send(_tried(pipe.recv(), root, again))


def _tried(spec: RunSpec, root: Path, again: bool) -> State | Exception:
    """Execute one run. Return errors of the disk and bugs of ours, which end the study: the run did
    not fail.
    """
    from sightline.experiments.run_in_store import run_stored  # noqa: PLC0415  (torch)

    try:
        return run_stored(spec, Store(root), again=again)
    except StoreError as error:
        return error
    except Exception as error:  # sent as text: not every error can go through a pipe
        return RuntimeError(f"{type(error).__name__}: {error}")
