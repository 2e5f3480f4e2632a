"""A table or figure of a paper: the runs it takes, and what it says of them. The files of the papers hold them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from sightline.audits import Audit
from sightline.data.vectors import with_vectors
from sightline.experiments.grid import Grid, pin_all
from sightline.experiments.store import Store
from sightline.results import Estimate
from sightline.spec.keys import lasting_key
from sightline.spec.values import DataSpec, RunSpec
from sightline.studies.corpora import data_of, lacking
from sightline.studies.lines import Found, Line, Lines, Read, Run, Said, averaged

AXES = ("corpus", "model", "seed")
SEEDS = 3


@dataclass(frozen=True)
class Asked:
    """How much of an artefact is wanted: of which corpora in a folder (all, unless some are named), and so many seeds.

    ``limit`` is how many test texts a run takes at most; ``vectors`` is a file from which words may start.
    """

    folder: Path
    seeds: int = SEEDS
    corpora: tuple[str, ...] = ()
    limit: int | None = None
    vectors: Path | None = None

    def of(self, run: RunSpec) -> RunSpec:
        """Let a run take no more texts, and its words start from vectors, as is asked."""
        limited = run if self.limit is None else replace(run, limit=self.limit)
        return limited if self.vectors is None else replace(limited, model=with_vectors(limited.model, self.vectors))

    def among(self, corpora: tuple[str, ...]) -> tuple[str, ...]:
        """Give those of some corpora that are wanted."""
        return tuple(corpus for corpus in corpora if not self.corpora or corpus in self.corpora)


@dataclass(frozen=True)
class Done(Run):
    """One that is done, and where its audit is kept."""

    key: str
    store: Store

    def audit(self) -> Audit:
        """Read it: audits are large, so none is held."""
        return self.store.audit(self.key)


Cells = Callable[[Asked, str, int], Iterable[tuple[str, RunSpec]]]
"""The runs on one corpus under one seed, each with what its model is called."""


@dataclass(frozen=True)
class Together:
    """What runs under one seed say only together, text by text: what they are called then, and what they say."""

    called: Callable[[str], str]
    say: Callable[[Sequence[Done]], Said]


@dataclass(frozen=True)
class Reading:
    """What can be read of runs that are done: of one, or of several together; it is kept under a name that lasts."""

    name: str
    run: Run
    keys: tuple[str, ...]
    say: Callable[[Sequence[Done]], Said]


@dataclass(frozen=True)
class Artefact:
    """A table or figure: where it is printed, what it is, and of which corpora.

    ``cells`` are its runs, ``numbers`` what is read of each, ``together`` of those under one seed,
    and ``lines`` what all that was read says. ``counted`` says what is counted of a corpus without
    any run. ``figures`` are drawn of its runs (`sightline.report.plots.named`). ``apart`` says why
    a quantity, a corpus, a model, or one quantity of one corpus cannot be compared with the printed
    value. ``notes`` hold what a reader must know.
    """

    name: str
    place: str
    told: str
    corpora: tuple[str, ...]
    cells: Cells = lambda asked, corpus, seed: ()
    numbers: Callable[[Audit], Said] | None = None
    lines: Lines = averaged
    together: Together | None = None
    counted: Callable[[DataSpec], Mapping[str, float]] | None = None
    figures: tuple[str, ...] = ()
    apart: Mapping[Any, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Plan:
    """The runs that an artefact takes of the corpora that are there, and why each of the others is left out."""

    artefact: Artefact
    asked: Asked
    corpora: tuple[str, ...]
    absent: Mapping[str, str]

    @cached_property
    def grid(self) -> Grid:
        """List the runs, pinned to the bytes of their corpora."""
        labels = [(run.corpus, run.model, str(run.seed)) for run in self.planned]
        cells = pin_all(run.spec for run in self.planned)
        return Grid(self.artefact.name, tuple(cells), AXES, tuple(labels))

    @cached_property
    def planned(self) -> Sequence[Run]:
        """List the runs as they are asked for; no corpus is read."""
        return [
            Run(corpus, model, seed, self.asked.of(run))
            for corpus in self.corpora
            for seed in range(self.asked.seeds)
            for model, run in self.artefact.cells(self.asked, corpus, seed)
        ]

    def runs(self, store: Store) -> list[Done]:
        """Give the runs that are done."""
        found = store.find(self.grid.keys)
        return [
            Done(run.corpus, run.model, run.seed, cell, key, store)
            for run, cell, key in zip(self.planned, self.grid.cells, self.grid.keys, strict=True)
            if key in found and found[key].state == "done"
        ]

    @cached_property
    def readings(self) -> Sequence[Reading]:
        """List what there is to read, in the order of the runs: of each, and then of those under one seed together."""
        planned = zip(self.planned, self.grid.cells, self.grid.keys, strict=True)
        each = [Reading(lasting_key(cell), replace(run, spec=cell), (key,), self._of_one) for run, cell, key in planned]
        return [*each, *self._of_several(each)]

    def _of_one(self, runs: Sequence[Done]) -> Said:
        numbers, (run,) = self.artefact.numbers, runs
        return {} if numbers is None else numbers(run.audit())

    def _of_several(self, each: Sequence[Reading]) -> Iterator[Reading]:
        if (together := self.artefact.together) is None:
            return
        groups = dict[tuple[str, str, int], list[Reading]]()
        for one in each:
            groups.setdefault((one.run.corpus, together.called(one.run.model), one.run.seed), []).append(one)
        for (_, model, _), ones in groups.items():
            name, keys = "+".join(one.name for one in ones), tuple(key for one in ones for key in one.keys)
            yield Reading(name, replace(ones[0].run, model=model), keys, together.say)

    def said(self, store: Store, before: Mapping[str, Said | None] | None = None) -> dict[str, Said | None]:
        """Read what is done, once, by the names of the readings; of what is not done give what was read ``before``."""
        done = {run.key: run for run in self.runs(store)}
        whole = (one for one in self.readings if done.keys() >= {*one.keys})
        return {**(before or {}), **{one.name: one.say([done[key] for key in one.keys]) for one in whole}}

    def read(self, store: Store, before: Mapping[str, Said | None] | None = None) -> list[Read]:
        """Give the same with what each is of."""
        return self.among(self.said(store, before))

    def among(self, said: Mapping[str, Said | None]) -> list[Read]:
        """Give those readings of this plan that say something, with what they are of."""
        return [(one.run, told) for one in self.readings if (told := said.get(one.name)) is not None]

    def unread(self, said: Mapping[str, Said | None]) -> set[str]:
        """Give the keys of the runs of which something was not read."""
        return {key for one in self.readings if one.name not in said for key in one.keys}

    def lines(self, read: Sequence[Read]) -> Iterator[Line]:
        """Say what the corpora themselves say, and the runs as they were read."""
        yield from self.counted()
        yield from self.artefact.lines(read)

    def counted(self) -> Iterator[Line]:
        """Count the corpora themselves."""
        if self.artefact.counted is not None:
            for corpus in self.corpora:
                for name, value in self.artefact.counted(data_of(self.asked.folder, corpus)).items():
                    yield Line(
                        corpus, "", name, Found(Estimate(float(value), float(value), float(value), 1, "counted")), 0
                    )


def plan_of(artefact: Artefact, asked: Asked) -> Plan:
    """Say which corpora an artefact can be made of."""
    wanted = asked.among(artefact.corpora)
    absent = {corpus: why for corpus in wanted if (why := lacking(asked.folder, corpus))}
    return Plan(artefact, asked, tuple(corpus for corpus in wanted if corpus not in absent), absent)
