"""What every study is, and how one is done: its missing runs are made by an executor and kept in a store."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from sightline.errors import StoreError
from sightline.experiments.executors.executor import Executor
from sightline.experiments.grid import Grid
from sightline.experiments.store import Store
from sightline.spec.keys import lasting_key, run_key
from sightline.spec.values import RunSpec

Cells = Iterable[tuple[tuple[str, ...], RunSpec]]


@runtime_checkable
class Study(Protocol):
    """What a file of this folder offers, as functions; called without settings they give the study in full."""

    def grid(self) -> Grid:
        """List the runs."""
        ...

    def table(self, grid: Grid, store: Store) -> Mapping[str, Any]:
        """Turn the runs of a grid, all of them done, into plain values; under ``gates`` what must hold, if anything."""
        ...


Counted = dict[str, list[dict[str, Any]]]
"""What is counted of runs, by kind: rows of plain values; under ``run`` each has the `lasting_key` of what it is of."""


@runtime_checkable
class Summable(Study, Protocol):
    """A study whose table follows from rows of its runs, so that some may come from an earlier store."""

    def counted(self, grid: Grid, store: Store) -> Counted:
        """Count runs that are done, one by one."""
        ...

    def summed(self, counted: Counted) -> Mapping[str, Any]:
        """Turn the rows into the table; they are part of it."""
        ...


def with_earlier(now: Counted, before: Mapping[str, Any], grid: Grid) -> Counted:
    """Add the rows of an earlier table that are of runs of a grid and not counted now, in the order of the grid."""
    places = {lasting_key(cell): place for place, cell in enumerate(grid.cells)}

    def of(row: Mapping[str, Any]) -> list[int | None]:
        return [places.get(name) for name in row.get("run", "").split("+")]

    known = {kind: {row["run"]: row for row in (*before.get(kind, ()), *rows) if None not in of(row)}
             for kind, rows in now.items()}  # fmt: skip
    return {kind: sorted(rows.values(), key=of) for kind, rows in known.items()}


@dataclass(frozen=True)
class Plan:
    """What is left of a study, and the seconds that a run has taken so far."""

    cells: int
    todo: tuple[RunSpec, ...]
    seconds: float | None


def grid_of(name: str, axes: tuple[str, ...], labelled: Cells) -> Grid:
    """Make a grid of cells that bring the words for their value on each axis."""
    labels, cells = zip(*labelled, strict=True)
    return Grid(name, tuple(cells), axes, tuple(labels))


def plan(grid: Grid, store: Store) -> Plan:
    """Say which runs are not done; a failed one is to be done again."""
    found = store.find(grid.keys)
    done = [summary.seconds for summary in found.values() if summary.state == "done"]
    todo = [
        cell for cell, key in zip(grid.cells, grid.keys, strict=True) if key not in found or found[key].state != "done"
    ]
    return Plan(len(grid.cells), tuple(todo), sum(done) / len(done) if done else None)


def so_far(grid: Grid, left: Plan) -> Grid:
    """Keep the cells that are done."""
    todo = set(map(run_key, left.todo))
    done = [
        (label, cell) for label, cell, key in zip(grid.labels, grid.cells, grid.keys, strict=True) if key not in todo
    ]
    return grid_of(grid.name, grid.axes, done)


def complete(
    todo: Sequence[RunSpec], store: Store, executor: Executor, tell: Callable[[int, int], None] = lambda done, of: None
) -> None:
    """Run what is left of a study, telling how far it is; a study of which a run fails has no table, and is refused.

    Nor has one whose last runs another process has at that moment: what it has done by the end counts as done.
    """
    ended = 0
    failed, elsewhere = list[RunSpec](), list[RunSpec]()
    for done in executor.run(todo, store, again=True):
        ended += done.ending != "killed"  # a killed one waits for another worker
        failed += [done.spec] * (done.ending == "failed")
        elsewhere += [done.spec] * (done.ending == "missing")
        tell(ended, len(todo))
    if failed:
        told = f"{_told(failed, todo)}; `sightline results` tells why, and the same command runs them again"
        raise StoreError(f"{store.root}: {told}")
    if left := [spec for spec in elsewhere if store.state(run_key(spec)) != "done"]:
        told = f"{_told(left, todo)}; another process has them, and the same command takes up what it leaves"
        raise StoreError(f"{store.root}: {told}")


def _told(missing: Sequence[RunSpec], todo: Sequence[RunSpec]) -> str:
    first = missing[0]
    told = f"the first {first.model} on {first.data} with seed {first.seed}"
    return f"{len(missing)} of {len(todo)} runs are not done, {told}"


def gate(name: str, count: Any, of: int, limit: str, *, holds: bool) -> dict[str, Any]:
    """Say what was promised of a count, and whether it holds."""
    return {"name": name, "count": count, "of": of, "limit": limit, "holds": holds}
