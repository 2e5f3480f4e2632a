"""What an executor is: it is handed specs, and tells in any order what became of each.

It keeps nothing itself: the store is the truth, so an executor may be killed at any moment. One file a way of running.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

from sightline.experiments.store import Store
from sightline.spec.values import RunSpec

Ending = Literal["done", "failed", "missing", "killed"]


@dataclass(frozen=True)
class Done:
    """What became of one cell: ``missing`` when another process has it, ``killed`` when it waits for another worker."""

    spec: RunSpec
    ending: Ending
    told: str = ""


@runtime_checkable
class Executor(Protocol):
    """Runs cells of a store, and tells of each how it ended."""

    def run(self, specs: Sequence[RunSpec], store: Store, *, again: bool) -> Iterator[Done]:
        """Run the cells; ``again`` redoes those that are kept as failed."""
        ...
