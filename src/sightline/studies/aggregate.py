"""Aggregate the readings of runs: means over seeds, and differences within each seed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from math import isnan
from statistics import fmean
from typing import Any

from sightline.config.specs import RunSpec
from sightline.core.results import Estimate
from sightline.stats.across_seeds import across_seeds
from sightline.stats.intervals import Bounds

CORPUS, MODEL = ("corpus", "world"), ("model", "encoder")
"""Possible names of the axis of corpora, and of the axis of models."""


@dataclass(frozen=True)
class RunName:
    """Identifies a run of a study: its corpus, model and seed, and other axes
    (``axis=value; …``).
    """

    corpus: str
    model: str
    seed: int
    setting: str = field(default="", kw_only=True)

    @classmethod
    def at(cls, axes: Sequence[str], labels: Sequence[str], seed: int) -> RunName:
        """Name a run by its labels on the axes of a study."""
        at = dict(zip(axes, labels, strict=True))
        rest = {axis: label for axis, label in at.items() if axis not in (*CORPUS, *MODEL, "seed")}
        corpus, model = (
            next((at[axis] for axis in axes if axis in of), "") for of in (CORPUS, MODEL)
        )
        return cls(corpus, model, seed, setting="; ".join("=".join(one) for one in rest.items()))

    def labels(self, axes: Sequence[str]) -> tuple[str, ...]:
        """Return the labels."""
        rest = dict(one.split("=", 1) for one in self.setting.split("; ") if one)
        own = {**dict.fromkeys(CORPUS, self.corpus), **dict.fromkeys(MODEL, self.model)}
        known = {**rest, **own, "seed": str(self.seed)}
        return tuple(known[axis] for axis in axes)


@dataclass(frozen=True)
class TableRun(RunName):
    """One run of a study."""

    spec: RunSpec


@dataclass(frozen=True)
class Number:
    """A number, with its chance level if it has one, and its standard deviation over the texts
    where a paper prints one.
    """

    value: Estimate
    baseline: Estimate | None = None
    bounds: Bounds = None
    sd: float | None = None


@dataclass(frozen=True)
class AggregateLine:
    """One aggregated line: corpus, model, quantity, and the number over so many seeds."""

    corpus: str
    model: str
    quantity: str
    found: Number
    seeds: int

    @property
    def of(self) -> tuple[str, str, str]:
        """The corpus, model and quantity of the number."""
        return self.corpus, self.model, self.quantity


RunId = tuple[str, str, int]
"""The corpus, model and seed of a number."""
NumbersByName = Mapping[str, Number]
"""The numbers of one run, by quantity."""
RunNumbers = tuple[RunName, NumbersByName]
"""A run and what was read of it."""
Lines = Callable[[Sequence[RunNumbers]], Iterable[AggregateLine]]
"""Aggregates the readings of all runs."""


def number_by_run(runs: Sequence[RunNumbers], number: str) -> Mapping[RunId, Estimate]:
    """Return a number of every run that has it."""
    return {
        (run.corpus, run.model, run.seed): said[number].value
        for run, said in runs
        if number in said
    }


def averaged(runs: Sequence[RunNumbers]) -> Iterator[AggregateLine]:
    """Average the readings of each model over its seeds."""
    for corpus, model in dict.fromkeys((run.corpus, run.model) for run, _ in runs):
        every = [found for run, found in runs if (run.corpus, run.model) == (corpus, model)]
        for name in dict.fromkeys(name for found in every for name in found):
            known = [found[name] for found in every if isinstance(found.get(name), Number)]
            if not known:  # a text instead of a number
                continue
            seeds = sum(not isnan(one.value.value) for one in known)
            yield AggregateLine(corpus, model, name, mean_of(known), seeds)


def mean_of(every: Sequence[Number]) -> Number:
    """Average a number over seeds, and its chance level and standard deviation likewise."""
    bounds = every[0].bounds
    floors = [one.baseline for one in every if one.baseline is not None]
    baseline = across_seeds(floors, bounds) if floors else None
    value = across_seeds([one.value for one in every], bounds)
    spread = [one.sd for one in every if one.sd is not None]
    return Number(value, baseline, bounds, fmean(spread) if spread else None)


Plain = Mapping[str, Any]
"""A row, or an estimate, as plain values."""


def over_seeds(estimates: Iterable[Plain | None], bounds: Bounds = None) -> dict[str, Any] | None:
    """Average plain estimates over seeds; None if no seed has one."""
    known = [Number(Estimate(**one), None, bounds) for one in estimates if one is not None]
    return asdict(mean_of(known).value) if known else None


def by_labels(rows: Sequence[Plain], axes: Sequence[str]) -> dict[tuple[str, ...], list[Plain]]:
    """Group the rows of each setting, in the order of the rows."""
    groups = dict[tuple[str, ...], list[Plain]]()
    for row in rows:
        groups.setdefault(tuple(row[axis] for axis in axes), []).append(row)
    return groups


def shortfall(number: str, usual: str, quantity: str) -> Lines:
    """Return by how much each model falls short of the ``usual`` one in a number, averaged over
    seeds.
    """

    def lines(runs: Sequence[RunNumbers]) -> Iterator[AggregateLine]:
        yield from _differences(
            runs,
            number,
            lambda _: usual,
            quantity,
            lambda own, other: difference_of_runs(other, own),
        )

    return lines


def gain(number: str, usual: Callable[[str], str], quantity: str) -> Lines:
    """Average every number, and by how much each model exceeds its ``usual`` one in one of them."""

    def lines(runs: Sequence[RunNumbers]) -> Iterator[AggregateLine]:
        yield from averaged(runs)
        yield from _differences(runs, number, usual, quantity, difference_of_runs)

    return lines


def paired(
    runs: Sequence[RunNumbers], number: str, usual: Callable[[str], str]
) -> Mapping[tuple[str, str], Mapping[int, tuple[Estimate, Estimate]]]:
    """Pair a number of each corpus and model with the number of its ``usual`` model, over the seeds
    that have both.
    """
    known = number_by_run(runs, number)
    pairs: dict[tuple[str, str], dict[int, tuple[Estimate, Estimate]]] = {}
    for (corpus, model, seed), own in known.items():
        if model != usual(model) and (other := known.get((corpus, usual(model), seed))):
            pairs.setdefault((corpus, model), {})[seed] = own, other
    return pairs


def _differences(
    runs: Sequence[RunNumbers],
    number: str,
    usual: Callable[[str], str],
    quantity: str,
    difference: Callable[[Estimate, Estimate], Estimate],
) -> Iterator[AggregateLine]:
    """Average over seeds the difference between each model and its ``usual`` one."""
    ends = _ends_of_difference(runs, number)
    for of, by_seed in paired(runs, number, usual).items():
        each = [difference(own, other) for own, other in by_seed.values()]
        seeds = sum(not isnan(one.value) for one in each)
        yield AggregateLine(*of, quantity, Number(across_seeds(each, ends), None, ends), seeds)


def _ends_of_difference(runs: Sequence[RunNumbers], number: str) -> Bounds:
    """Return the bounds of a difference of two such numbers, from their own bounds."""
    ends = next((said[number].bounds for _, said in runs if number in said), None)
    return None if ends is None else (ends[0] - ends[1], ends[1] - ends[0])


def difference_of_runs(one: Estimate, other: Estimate) -> Estimate:
    """Subtract the numbers of two models under one seed; a single difference has no interval."""
    nothing = float("nan")
    return Estimate(one.value - other.value, nothing, nothing, min(one.n, other.n), "one seed")
