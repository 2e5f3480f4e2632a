"""The interface of an executor, and how often it tries a run.

An executor stores nothing itself, so it may be killed at any moment: only the store counts.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

from sightline.config.run_keys import run_key, training_key
from sightline.config.specs import RunSpec
from sightline.core.errors import StoreError
from sightline.experiments.store import State, Store, should_run
from sightline.training.control_models import trainings_of

if TYPE_CHECKING:
    from pathlib import Path

RunEnding = Literal["done", "failed", "missing", "killed"]
ATTEMPTS = 3
"""How often a run is tried whose worker was killed, before it is kept as failed: the run itself may
kill its workers."""
APPEARS = 30.0
"""Seconds within which a shared folder must show what another machine has written."""


@dataclass(frozen=True)
class RunOutcome:
    """How a run ended: ``missing`` if another process has it, ``killed`` if it waits for another
    worker.
    """

    spec: RunSpec
    ending: RunEnding
    description: str = ""


@runtime_checkable
class Executor(Protocol):
    """Executes runs of a store and reports how each ended.

    Every executor keeps these promises (``tests/contract/test_executors.py``). Each run ends once
    as done, failed or missing, perhaps after reports that it was killed. A run is in the store
    before it is reported done, with the same results under every executor. A failed run is kept as
    failed, and the others continue. A finished run is not repeated, and a failed one only with
    ``again``. No claim is held afterwards.
    """

    def run(self, specs: Sequence[RunSpec], store: Store, *, again: bool) -> Iterator[RunOutcome]:
        """Execute the runs; ``again`` repeats runs that are kept as failed."""
        ...


def training_folders(spec: RunSpec, store: Store) -> list[Path]:
    """Name the folders of all trainings that a run needs."""
    return [store.training_folder(training_key(one)) for one in trainings_of(spec)]


@dataclass
class KillCounts:
    """Counts the workers that were killed at each run: the run itself may kill them."""

    counted: Counter[RunSpec] = field(default_factory=Counter)

    def killed(self, spec: RunSpec, description: str, store: Store) -> RunOutcome:
        """Count one more killed worker. The run waits for another worker, or is kept as failed. The
        caller holds its claim.
        """
        if store.state(run_key(spec)) == "done":  # it finished before it could say so
            return RunOutcome(spec, "done")
        self.counted[spec] += 1
        if self.counted[spec] < ATTEMPTS:
            return RunOutcome(spec, "killed", description)
        store.write_failure(
            spec, f"{description} {ATTEMPTS} times, perhaps for want of memory", 0.0
        )
        return RunOutcome(spec, "failed", description)


@dataclass
class RemoteRuns:
    """Runs that wait, and runs on other machines: each with its job there and its claim, which this
    process holds.
    """

    left: deque[RunSpec]
    store: Store
    again: bool
    flying: dict[str, tuple[RunSpec, Any, ExitStack]] = field(default_factory=dict)
    """By the key of the run."""
    tries: KillCounts = field(default_factory=KillCounts)

    def send(self, most: int, submit: Callable[[RunSpec], object]) -> Iterator[RunOutcome]:
        """Submit runs until so many are away; report runs that other processes have, or had."""
        while self.left and len(self.flying) < most:
            spec = self.left.popleft()
            with ExitStack() as claim:
                mine = claim.enter_context(self.store.claim_run(run_key(spec)))
                state = self.store.state(run_key(spec))
                if mine and should_run(state, again=self.again):
                    self.flying[run_key(spec)] = spec, submit(spec), claim.pop_all()
                    continue
            yield RunOutcome(spec, state)

    def killed(self, spec: RunSpec, description: str) -> RunOutcome:
        """Count a killed worker; the run waits again, or is kept as failed."""
        outcome = self.tries.killed(spec, description, self.store)
        if outcome.ending == "killed":
            self.left.append(spec)
        return outcome

    def close(self) -> None:
        """Release every claim."""
        for _, _, claim in self.flying.values():
            claim.close()


def appeared(spec: RunSpec, store: Store, writer: str) -> State:
    """Wait for a run that another machine wrote: a shared folder may be slow to show it."""
    end = monotonic() + APPEARS
    while (state := store.state(run_key(spec))) == "missing":
        if monotonic() > end:
            message = (
                f"{store.run_folder(run_key(spec))}: not visible {APPEARS:.0f} s "
                f"after {writer} wrote it"
            )
            raise StoreError(
                f"{message}; mount the store so that it is, or use one that the nodes do not see"
            )
        sleep(0.1)
    return state
