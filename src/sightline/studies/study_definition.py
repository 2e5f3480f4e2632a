"""A study, declared once: its runs, what is read of each, and how the readings are aggregated.

A TOML file, a table or figure of a paper and a calibration are each one `Study`::

    runs(params) → estimates(run) → aggregate(readings) → table, figures

`sightline.studies.run_plan` finds which of its runs are finished; `sightline.studies.results_file`
keeps the readings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import compress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from sightline.config.part_syntax import Part
from sightline.config.specs import DataSpec, RunSpec
from sightline.experiments.grid import Grid, pin_all
from sightline.experiments.store import Store, Summary
from sightline.studies.aggregate import Lines, TableRun, averaged

if TYPE_CHECKING:
    from sightline.audits.audit_result import Audit

T = TypeVar("T")
AXES = ("corpus", "model", "seed")
SEEDS = 3
"""Seeds of a paper's models by default."""
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
    """The number of seeds for a corpus, and the most test texts of each run."""

    seeds: int
    limit: int | None = None


@dataclass(frozen=True)
class Params:
    """The wanted amount of a study.

    ``folder`` holds the corpora; ``corpora`` names some of them (none: all). ``seeds`` is the
    number of seeds (none: the study's own), ``first`` the first of them if the study allows a
    choice. ``limit`` is the most test texts of a run; ``vectors`` is a file of initial word
    vectors, or such a file for each corpus. ``amounts`` gives seeds and limit by corpus.
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
        """Return the parameters for one corpus, with its seeds and limit."""
        if (amount := self.amounts.get(corpus)) is None:
            return self
        return replace(self, seeds=amount.seeds, limit=amount.limit, amounts={})

    def of(self, run: RunSpec) -> RunSpec:
        """Apply the limit and the scale to a run; a run's own limit is never raised."""
        limits = [limit for limit in (run.limit, self.limit) if limit is not None]
        limited = replace(run, limit=min(limits, default=None))
        return smoke(limited) if self.scale == "smoke" else limited

    def among(self, corpora: tuple[str, ...]) -> tuple[str, ...]:
        """Return the wanted ones of some corpora."""
        return tuple(corpus for corpus in corpora if not self.corpora or corpus in self.corpora)

    def swept(self, values: Sequence[T]) -> Sequence[T]:
        """Return the values of a sweep: all of them, or its two ends."""
        return values if self.scale == "full" else [*dict.fromkeys((values[0], values[-1]))]


def smoke(run: RunSpec) -> RunSpec:
    """Shrink the model of a run and its training; the measures stay."""
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
class FinishedRun(TableRun):
    """A finished run, and the place of its audit."""

    key: str
    store: Store

    def audit(self) -> Audit:
        """Read the audit; audits are large, so none is held."""
        return self.store.audit(self.key)

    def summary(self) -> Summary:
        """Read its summary from the store."""
        found = self.store.summary(self.key)
        assert found is not None  # the run is done
        return found


Labels = tuple[str, ...]
"""The value of a run on each axis."""
LabelledRuns = Iterable[tuple[Labels, RunSpec]]
Values = Mapping[str, Any]
"""The readings of a run, by quantity: `sightline.studies.aggregate.Number`, or plain values."""


@dataclass(frozen=True)
class JointReading:
    """A reading that needs several runs of one seed: their model, and its numbers."""

    called: Callable[[str], str]
    say: Callable[[Sequence[FinishedRun]], Values]


@dataclass(frozen=True)
class Study:
    """One study.

    ``runs`` yields the runs with their labels on ``axes``, for the wanted ``corpora`` (a study of
    generated data has none). ``estimates`` reads one run, ``joint`` several runs of one seed,
    ``lines`` aggregates all readings, and ``summary`` adds what a page shows in addition to lines.
    A study that keeps no single runs counts them as a ``whole``: groups, under ``rows``, and
    results over all. ``counted`` counts a corpus without any run; ``figures`` are drawn from the
    runs.

    A table or figure of a ``paper`` has its ``place`` there; ``numbers`` reads the audit of one run,
    of the paper's models or of another, unless the study sets models against one another
    (``of_several``); ``single`` is the table that reads the same numbers of one model. A run is
    made again if its kept reading lacks a number that is ``needed`` on its corpus.
    ``apart`` says why a quantity, a corpus, a model, one quantity of one corpus, or one number
    cannot be compared with the printed value. ``notes`` define the numbers, ``notes_on_models`` say
    how the study's models were made.
    """

    name: str
    description: str
    runs: Callable[[Params], LabelledRuns] = lambda params: ()
    axes: tuple[str, ...] = AXES
    corpora: tuple[str, ...] = ()
    estimates: Callable[[FinishedRun], Values] = lambda run: {}
    joint: JointReading | None = None
    lines: Lines = averaged
    summary: Callable[[Rows], Mapping[str, Any]] | None = None
    whole: Callable[[Grid, Store], Mapping[str, Any]] | None = None
    counted: Callable[[DataSpec], Mapping[str, float]] | None = None
    figures: tuple[str, ...] = ()
    paper: str = ""
    place: str = ""
    numbers: Callable[[Audit], Values] | None = None
    of_several: bool = False
    single: str = ""
    needed: Callable[[str], tuple[str, ...]] = lambda corpus: ()
    apart: Mapping[Any, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    notes_on_models: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """The name of the study on the command line."""
        return f"{self.paper}:{self.name}" if self.paper else self.name

    def grid(self, params: Params | None = None) -> Grid:
        """List the runs; all of them by default."""
        labels, specs = zip(*self.asked_runs(params or Params()), strict=True)
        return Grid(self.name, tuple(pin_all(specs)), self.axes, labels)

    def asked_runs(self, params: Params) -> Iterator[tuple[Labels, RunSpec]]:
        """List the wanted runs, with the limit of their corpus and the scale."""
        for labels, run in self.runs(params):
            yield labels, params.at(labels[0]).of(run)

    def over(self, grid: Grid) -> Study:
        """Return the same study for the runs of a grid."""
        labelled = tuple(zip(grid.labels, grid.specs, strict=True))
        return replace(self, runs=lambda params: labelled)


Rows = Mapping[str, Sequence[Mapping[str, Any]]]
"""Rows of plain values by kind: ``rows`` belong to single runs."""


def of_audit(numbers: Callable[[Audit], Values]) -> Callable[[FinishedRun], Values]:
    """Read the audit of a run."""
    return lambda run: numbers(run.audit())


def grid_of(name: str, axes: tuple[str, ...], labelled: LabelledRuns) -> Grid:
    """Make a grid from runs with labels."""
    labels, specs = zip(*labelled, strict=True)
    return Grid(name, tuple(specs), axes, tuple(labels))


def finished_runs(grid: Grid, store: Store) -> Grid:
    """Keep the finished runs; a failed one is made again."""
    found = store.find(grid.keys)
    done = [key in found and found[key].state == "done" for key in grid.keys]
    return replace(
        grid, specs=tuple(compress(grid.specs, done)), labels=tuple(compress(grid.labels, done))
    )


def gate(name: str, count: Any, of: int, limit: str, *, holds: bool) -> dict[str, Any]:
    """State a promise about a count, and whether it holds."""
    return {"name": name, "count": count, "of": of, "limit": limit, "holds": holds}
