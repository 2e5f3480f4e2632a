"""What an executor is: it is handed specs, and tells in any order what became of each.

It keeps nothing itself: the store is the truth, so an executor may be killed at any moment. One
file a way of running.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

from sightline.config.specs import RunSpec
from sightline.experiments.store import Store

Ending = Literal["done", "failed", "missing", "killed"]


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
