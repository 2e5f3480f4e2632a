"""Plan a study: which runs the wanted amount takes, which are finished, and what they say."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from sightline.config.run_keys import lasting_key
from sightline.config.specs import RunSpec
from sightline.core.results import Estimate
from sightline.experiments.grid import Grid, pin_all
from sightline.experiments.store import Store
from sightline.studies.aggregate import AggregateLine, Number, RunName, RunNumbers, TableRun
from sightline.studies.study_corpora import data_of, lacking
from sightline.studies.study_definition import FinishedRun, Labels, Params, Study, Values

Readings = Mapping[str, Values | None]
"""Readings by name; None for a run of which only means are left."""


@dataclass(frozen=True)
class Reading:
    """A reading of one run, or of several of one seed, kept under a lasting name."""

    name: str
    run: TableRun
    keys: tuple[str, ...]
    joint: bool = False


@dataclass(frozen=True)
class Plan:
    """The runs of a study on the available corpora, and why each other corpus is left out."""

    study: Study
    asked: Params
    corpora: tuple[str, ...]
    absent: Mapping[str, str]

    @cached_property
    def grid(self) -> Grid:
        """List the runs, pinned to the bytes of their corpora."""
        specs = pin_all(run for _, run in self._labelled)
        labels = tuple(labels for labels, _ in self._labelled)
        return Grid(self.study.name, tuple(specs), self.study.axes, labels)

    @cached_property
    def planned(self) -> Sequence[TableRun]:
        """List the wanted runs; no corpus is read."""
        return [self._run(labels, run) for labels, run in self._labelled]

    @property
    def keyed(self) -> Iterator[tuple[str, TableRun]]:
        """Return each run with its spec pinned, and its key."""
        for run, spec, key in zip(self.planned, self.grid.specs, self.grid.keys, strict=True):
            yield key, replace(run, spec=spec)

    @cached_property
    def _labelled(self) -> Sequence[tuple[Labels, RunSpec]]:
        asked = replace(self.asked, corpora=self.corpora)
        return [*self.study.asked_runs(asked)]

    def _run(self, labels: Labels, spec: RunSpec) -> TableRun:
        return TableRun(**vars(RunName.at(self.study.axes, labels, spec.seed)), spec=spec)

    def runs(self, store: Store) -> list[FinishedRun]:
        """Return the finished runs."""
        found = store.find(self.grid.keys)
        return [
            FinishedRun(**vars(run), key=key, store=store)
            for key, run in self.keyed
            if key in found and found[key].state == "done"
        ]

    @cached_property
    def readings(self) -> Sequence[Reading]:
        """List the possible readings, in the order of the runs: of each run, then of several."""
        each = [Reading(lasting_key(run.spec), run, (key,)) for key, run in self.keyed]
        return [*each, *self._of_several(each)]

    def _of_several(self, each: Sequence[Reading]) -> Iterator[Reading]:
        if (joint := self.study.joint) is None:
            return
        groups = dict[tuple[str, str, int], list[Reading]]()
        for reading in each:
            run = reading.run
            if model := joint.called(run.model):
                groups.setdefault((run.corpus, model, run.seed), []).append(reading)
        for (_, model, _), members in groups.items():
            name = joint_name([reading.name for reading in members])
            keys = tuple(key for reading in members for key in reading.keys)
            yield Reading(name, replace(members[0].run, model=model), keys, joint=True)

    def said(self, store: Store, before: Readings | None = None) -> dict[str, Values | None]:
        """Read each finished run once; for the others use the reading from ``before``."""
        done = {run.key: run for run in self.runs(store)}
        whole = [reading for reading in self.readings if done.keys() >= {*reading.keys}]
        now = {one.name: self._say(one, [done[key] for key in one.keys]) for one in whole}
        return {**(before or {}), **now}

    def _say(self, reading: Reading, runs: Sequence[FinishedRun]) -> Values:
        if not reading.joint:
            return self.study.estimates(runs[0])
        assert self.study.joint is not None  # it is why there is such a reading
        return self.study.joint.say(runs)

    def read(self, store: Store, before: Readings | None = None) -> list[RunNumbers]:
        """Return the readings with the runs that they belong to."""
        return self.among(self.said(store, before))

    def among(self, said: Readings) -> list[RunNumbers]:
        """Return the readings of this plan that have numbers, with their runs."""
        return [
            (reading.run, values)
            for reading in self.readings
            if (values := said.get(reading.name)) is not None
        ]

    def unread(self, said: Readings) -> set[str]:
        """Return the keys of the runs of which something was not read."""
        return {key for one in self.readings if not self._is_whole(one, said) for key in one.keys}

    def _is_whole(self, one: Reading, said: Readings) -> bool:
        """Tell whether a reading is there, with every number that its study needs of a run."""
        if one.name not in said:
            return False
        values, needed = said[one.name], self.study.needed(one.run.corpus)
        return one.joint or values is None or {*needed} <= values.keys()

    def lines(self, read: Sequence[RunNumbers]) -> Iterator[AggregateLine]:
        """Aggregate: the counts of the corpora, and the readings of the runs."""
        yield from self.counted()
        yield from self.study.lines(read)

    def counted(self) -> Iterator[AggregateLine]:
        """Count the corpora themselves."""
        if self.study.counted is None:
            return
        for corpus in self.corpora:
            counts = self.study.counted(data_of(self.asked.folder, corpus))
            for name, count in counts.items():
                value = float(count)
                found = Number(Estimate(value, value, value, 1, COUNTED))
                yield AggregateLine(corpus, "", name, found, 0)


JOINT = "+"
"""Joins the names of the runs of a reading; the name of a single run has none."""


def unread_of(asked: Iterable[tuple[Plan, Readings]]) -> set[str]:
    """Return the keys of the runs of which some plan has not read everything that it needs."""
    return {key for plan, said in asked for key in plan.unread(said)}


def joint_name(names: Sequence[str]) -> str:
    """Name a reading of several runs; for a single run it differs from the run's own name."""
    return JOINT.join(names) if len(names) > 1 else f"{names[0]}{JOINT}"


def is_joint(name: str) -> bool:
    """Whether a reading is of several runs, by its name."""
    return JOINT in name


COUNTED = "counted"
"""The method of a number that is counted in a corpus."""


def plan_of(study: Study, asked: Params) -> Plan:
    """Plan a study on the corpora that are available."""
    wanted = asked.among(study.corpora)
    absent = {corpus: why for corpus in wanted if (why := lacking(asked.folder, corpus))}
    there = tuple(corpus for corpus in wanted if corpus not in absent)
    return Plan(study, asked, there, absent)
