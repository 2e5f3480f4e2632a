"""What an executor is, and how often a cell is tried.

An executor keeps nothing itself: the store is the truth, so an executor may be killed at any
moment.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from time import monotonic, sleep
from typing import TYPE_CHECKING, Literal, Protocol, runtime_checkable

from sightline.config.run_keys import run_key
from sightline.config.specs import RunSpec
from sightline.core.errors import StoreError

if TYPE_CHECKING:
    from sightline.experiments.store import State, Store

Ending = Literal["done", "failed", "missing", "killed"]
ATTEMPTS = 3
"""How often a cell whose worker was killed is tried before it is kept as failed: it may be what
kills them."""
APPEARS = 30.0
"""Seconds in which a shared folder must show what another machine has written."""


@dataclass(frozen=True)
class RunOutcome:
    """What became of one cell: ``missing`` when another process has it, ``killed`` when it waits
    for another worker.
    """

    spec: RunSpec
    ending: Ending
    description: str = ""


@runtime_checkable
class Executor(Protocol):
    """Runs cells of a store, and says of each how it ended.

    What every executor promises (``tests/contract/test_executors.py``): each cell ends once as
    done, failed or missing; it may be reported as killed before. A cell that is done is in the
    store when this is said, with the same results under every executor. One that fails is kept as
    failed, and the others are run. A cell that is done already is not run again, and a failed one
    only where ``again`` asks for it. No claim is held afterwards.
    """

    def run(self, specs: Sequence[RunSpec], store: Store, *, again: bool) -> Iterator[RunOutcome]:
        """Run the cells; ``again`` redoes those that are kept as failed."""
        ...


@dataclass
class Tries:
    """Counts the workers that were killed at each cell: the cell may be what kills them."""

    counted: Counter[RunSpec] = field(default_factory=Counter)

    def killed(self, spec: RunSpec, description: str, store: Store) -> RunOutcome:
        """Count one more worker that was killed: the cell waits for another, or is kept as
        failed.
        """
        self.counted[spec] += 1
        if self.counted[spec] < ATTEMPTS:
            return RunOutcome(spec, "killed", description)
        store.write_failure(
            spec, f"{description} {ATTEMPTS} times, perhaps for want of memory", 0.0
        )
        return RunOutcome(spec, "failed", description)


def appeared(spec: RunSpec, store: Store, writer: str) -> State:
    """Look at a run that another machine wrote: a shared folder may be slow to show it."""
    end = monotonic() + APPEARS
    while (state := store.state(run_key(spec))) == "missing":
        if monotonic() > end:
            message = (
                f"{store.run_folder(run_key(spec))}: not to be seen {APPEARS:.0f} s "
                f"after {writer} wrote it"
            )
            raise StoreError(
                f"{message}; mount the store so that it is, or use one that the nodes do not see"
            )
        sleep(0.1)
    return state
