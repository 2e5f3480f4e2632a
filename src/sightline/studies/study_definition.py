"""A study, declared once: the runs it takes, what is read of each, and what all of them say.

A TOML file, a table or figure of a paper and a calibration are each one `Study`::

    runs(params) → estimates(run) → aggregate(readings) → table, figures

`sightline.studies.run_plan` finds which of its runs are done; `sightline.studies.results_file`
keeps what was read of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from sightline.config.part_syntax import Part
from sightline.config.run_keys import run_key
from sightline.config.specs import DataSpec, RunSpec
from sightline.core.errors import StoreError
from sightline.experiments.executors.executor import Executor
from sightline.experiments.grid import Grid, pin_all
from sightline.experiments.store import Store, Summary
from sightline.studies.aggregate import Lines, TableRun, averaged

if TYPE_CHECKING:
    from sightline.audits.audit_result import Audit

T = TypeVar("T")
AXES = ("corpus", "model", "seed")
SEEDS = 3
"""Seeds of a paper's models where nothing else is asked for."""
Scale = Literal["full", "smoke"]
"""``smoke`` has the same runs with tiny models that start from random words, two epochs and the
ends of each sweep."""
SMOKE_SIZES: Mapping[str, Mapping[str, Any]] = {
    "bilstm": {"hidden": 4},
    "cnn": {"channels": 4, "kernels": "1-3"},
    "mlp": {"hidden": 4},
    "transformer": {"hidden": 4},
}
SMOKE_EMBEDDING = 8
"""Twice as wide as an encoder: a state of both directions can be added to its word."""
SMOKE_EPOCHS = 2


@dataclass(frozen=True)
class Amount:
    """How many seeds of a corpus are wanted, and how many test texts of each run at most."""

    seeds: int
    limit: int | None = None


@dataclass(frozen=True)
class Params:
    """How much of a study is wanted.

    ``folder`` holds the corpora; ``corpora`` names some of them (none: all). ``seeds`` is how many
    seeds (none: as many as the study has), ``first`` the first of them where a study lets it be
    chosen. ``limit`` is how many test texts a run takes at most; ``vectors`` is a file from which
    words start, or such a file for each corpus. ``amounts`` says seeds and limit by corpus.
    """

    folder: Path = Path()
    seeds: int | None = None
    corpora: tuple[str, ...] = ()
    limit: int | None = None
    vectors: Path | None = None
    vectors_of: Mapping[str, Path] = field(default_factory=dict)
    first: int = 0
    scale: Scale = "full"
    amounts: Mapping[str, Amount] = field(default_factory=dict)

    def at(self, corpus: str) -> Params:
        """Give the seeds and the limit that are wanted of one corpus."""
        if (amount := self.amounts.get(corpus)) is None:
            return self
        return replace(self, seeds=amount.seeds, limit=amount.limit, amounts={})

    def of(self, run: RunSpec) -> RunSpec:
        """Apply the limit and the scale to a run."""
        limited = run if self.limit is None else replace(run, limit=self.limit)
        return smoke(limited) if self.scale == "smoke" else limited

    def among(self, corpora: tuple[str, ...]) -> tuple[str, ...]:
        """Give the wanted ones of some corpora."""
        return tuple(corpus for corpus in corpora if not self.corpora or corpus in self.corpora)

    def swept(self, values: Sequence[T]) -> Sequence[T]:
        """Give the values of a sweep: all of them, or its two ends."""
        return values if self.scale == "full" else [*dict.fromkeys((values[0], values[-1]))]


def smoke(run: RunSpec) -> RunSpec:
    """Shrink the model of a run and its training; what the run asks stays."""
    encoder = run.model.encoder
    sizes = {**dict(encoder.options), **SMOKE_SIZES.get(encoder.name, {})}
    small = Part(encoder.name, tuple(sorted(sizes.items())))
    sized = replace(run.model, encoder=small, embedding=SMOKE_EMBEDDING)
    model = replace(
        sized, vectors="", vectors_digest="", without_vector="random", vectors_scale=1.0
    )
    fit = replace(
        run.fit,
        epochs=min(run.fit.epochs, SMOKE_EPOCHS),
        patience=min(run.fit.patience, SMOKE_EPOCHS),
        adversary_epochs=min(run.fit.adversary_epochs, SMOKE_EPOCHS),
        adversary_patience=min(run.fit.adversary_patience, SMOKE_EPOCHS),
    )
    return replace(run, model=model, fit=fit)


@dataclass(frozen=True)
class Done(TableRun):
    """A run that is done, and where its audit is kept."""

    key: str
    store: Store

    def audit(self) -> Audit:
        """Read it: audits are large, so none is held."""
        return self.store.audit(self.key)

    def summary(self) -> Summary:
        """Read what the store lists of it."""
        found = self.store.summary(self.key)
        assert found is not None  # it is done
        return found


Labels = tuple[str, ...]
"""Which value of each axis a run has."""
Labelled = Iterable[tuple[Labels, RunSpec]]
Values = Mapping[str, Any]
"""What is read of a run, by quantity: `sightline.studies.aggregate.Number`, or plain values."""


@dataclass(frozen=True)
class Joint:
    """What runs under one seed say only together: the model they are of, and what they say."""

    called: Callable[[str], str]
    say: Callable[[Sequence[Done]], Values]


@dataclass(frozen=True)
class Study:
    """One study.

    ``runs`` gives the runs with their labels on ``axes``, of the ``corpora`` that are wanted (a
    study of generated data has none). ``estimates`` is what is read of a run, ``joint`` what is
    read of runs of one seed at once, ``lines`` the aggregation of all readings, and ``summary``
    what a page shows of them where that is more than lines. A study that keeps no single runs
    counts them as a ``whole``: groups, under ``rows``, and what is said of all. ``counted`` is what
    is counted of a corpus without any run; ``figures`` are drawn of the runs.

    A table or figure of a ``paper`` says its ``place`` there, and ``apart`` why a quantity, a
    corpus, a model, or one quantity of one corpus cannot be compared with the printed value.
    """

    name: str
    description: str
    runs: Callable[[Params], Labelled] = lambda params: ()
    axes: tuple[str, ...] = AXES
    corpora: tuple[str, ...] = ()
    estimates: Callable[[Done], Values] = lambda run: {}
    joint: Joint | None = None
    lines: Lines = averaged
    summary: Callable[[Rows], Mapping[str, Any]] | None = None
    whole: Callable[[Grid, Store], Mapping[str, Any]] | None = None
    counted: Callable[[DataSpec], Mapping[str, float]] | None = None
    figures: tuple[str, ...] = ()
    paper: str = ""
    place: str = ""
    apart: Mapping[Any, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """The name by which the command line knows it."""
        return f"{self.paper}:{self.name}" if self.paper else self.name

    def grid(self, params: Params | None = None) -> Grid:
        """List the runs; in full where nothing is said."""
        labels, cells = zip(*self.asked_runs(params or Params()), strict=True)
        return Grid(self.name, tuple(pin_all(cells)), self.axes, labels)

    def asked_runs(self, params: Params) -> Iterator[tuple[Labels, RunSpec]]:
        """List the runs as they are wanted: with the limit of their corpus and the scale."""
        for labels, run in self.runs(params):
            yield labels, params.at(labels[0]).of(run)

    def over(self, grid: Grid) -> Study:
        """Give the same study of the runs of a grid."""
        labelled = tuple(zip(grid.labels, grid.cells, strict=True))
        return replace(self, runs=lambda params: labelled)


Rows = Mapping[str, Sequence[Mapping[str, Any]]]
"""Rows of plain values by kind: ``rows`` are of single runs."""


def of_audit(numbers: Callable[[Audit], Values]) -> Callable[[Done], Values]:
    """Read of a run what its audit says."""
    return lambda run: numbers(run.audit())


def grid_of(name: str, axes: tuple[str, ...], labelled: Labelled) -> Grid:
    """Make a grid of runs that bring their labels."""
    labels, cells = zip(*labelled, strict=True)
    return Grid(name, tuple(cells), axes, tuple(labels))


@dataclass(frozen=True)
class Left:
    """What is left of a study, and the seconds that a run has taken so far."""

    cells: int
    todo: tuple[RunSpec, ...]
    seconds: float | None


def plan(grid: Grid, store: Store) -> Left:
    """Say which runs are not done; a failed one is to be done again."""
    found = store.find(grid.keys)
    done = [summary.seconds for summary in found.values() if summary.state == "done"]
    todo = [
        cell
        for cell, key in zip(grid.cells, grid.keys, strict=True)
        if key not in found or found[key].state != "done"
    ]
    return Left(len(grid.cells), tuple(todo), sum(done) / len(done) if done else None)


def so_far(grid: Grid, left: Left) -> Grid:
    """Keep the cells that are done."""
    todo = set(map(run_key, left.todo))
    done = [
        (label, cell)
        for label, cell, key in zip(grid.labels, grid.cells, grid.keys, strict=True)
        if key not in todo
    ]
    return grid_of(grid.name, grid.axes, done)


def run_missing(
    todo: Sequence[RunSpec],
    store: Store,
    executor: Executor,
    tell: Callable[[int, int], None] = lambda done, of: None,
) -> None:
    """Run what is left of a study, telling how far it is; a study of which a run fails has no
    table, and is refused.

    Nor has one whose last runs another process has at that moment: what it has done by the end
    counts as done.
    """
    ended = 0
    failed, elsewhere = list[RunSpec](), list[RunSpec]()
    for done in executor.run(todo, store, again=True):
        ended += done.ending != "killed"  # a killed one waits for another worker
        failed += [done.spec] * (done.ending == "failed")
        elsewhere += [done.spec] * (done.ending == "missing")
        tell(ended, len(todo))
    if failed:
        message = (
            f"{_describe(failed, todo)}; `sightline results` tells why, and the same command runs "
            "them again"
        )
        raise StoreError(f"{store.root}: {message}")
    if left := [spec for spec in elsewhere if store.state(run_key(spec)) != "done"]:
        message = (
            f"{_describe(left, todo)}; another process has them, and the same command takes up "
            "what it leaves"
        )
        raise StoreError(f"{store.root}: {message}")


def _describe(missing: Sequence[RunSpec], todo: Sequence[RunSpec]) -> str:
    first = missing[0]
    text = f"the first {first.model} on {first.data} with seed {first.seed}"
    return f"{len(missing)} of {len(todo)} runs are not done, {text}"


def gate(name: str, count: Any, of: int, limit: str, *, holds: bool) -> dict[str, Any]:
    """Say what was promised of a count, and whether it holds."""
    return {"name": name, "count": count, "of": of, "limit": limit, "holds": holds}
