"""What runs say, number by number, and what all of them say: means over seeds, and differences within each seed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sightline.results import Estimate
from sightline.spec.values import RunSpec
from sightline.statistics.across import across_seeds
from sightline.statistics.intervals import Bounds


@dataclass(frozen=True)
class Run:
    """One run of an artefact."""

    corpus: str
    model: str
    seed: int
    spec: RunSpec


@dataclass(frozen=True)
class Found:
    """A number, beside what it would be by chance where there is such a floor."""

    value: Estimate
    floor: Estimate | None = None
    bounds: Bounds = None


@dataclass(frozen=True)
class Line:
    """One line of ours: of which corpus and model it is, what it measures, over how many seeds."""

    corpus: str
    model: str
    quantity: str
    found: Found
    seeds: int

    @property
    def of(self) -> tuple[str, str, str]:
        """What it is a number of."""
        return self.corpus, self.model, self.quantity


Said = Mapping[str, Found]
"""What one run says, by quantity."""
Read = tuple[Run, Said]
"""A run and what was read of it."""
Lines = Callable[[Sequence[Read]], Iterable[Line]]
"""What all runs say."""


def averaged(runs: Sequence[Read]) -> Iterator[Line]:
    """Average what was read of the runs of each model over its seeds."""
    for corpus, model in dict.fromkeys((run.corpus, run.model) for run, _ in runs):
        every = [found for run, found in runs if (run.corpus, run.model) == (corpus, model)]
        for name in dict.fromkeys(name for found in every for name in found):
            known = [found[name] for found in every if name in found]
            yield Line(corpus, model, name, mean_of(known), len(known))


def mean_of(every: Sequence[Found]) -> Found:
    """Average a number over seeds, and its floor likewise."""
    bounds = every[0].bounds
    floors = [one.floor for one in every if one.floor is not None]
    floor = across_seeds(floors, bounds) if floors else None
    return Found(across_seeds([one.value for one in every], bounds), floor, bounds)


def less(number: str, usual: str, quantity: str) -> Lines:
    """Say by how much each model falls short of the ``usual`` one in a number, seed by seed, and average that."""

    def lines(runs: Sequence[Read]) -> Iterator[Line]:
        yield from _differing(runs, number, lambda _: usual, quantity, lambda model, usual: apart(usual, model))

    return lines


def gained(number: str, usual: Callable[[str], str], quantity: str) -> Lines:
    """Average every number, and say likewise by how much each model is above its ``usual`` one in one of them."""

    def lines(runs: Sequence[Read]) -> Iterator[Line]:
        yield from averaged(runs)
        yield from _differing(runs, number, usual, quantity, apart)

    return lines


def _differing(
    runs: Sequence[Read],
    number: str,
    usual: Callable[[str], str],
    quantity: str,
    differ: Callable[[Estimate, Estimate], Estimate],
) -> Iterator[Line]:
    known = {(run.corpus, run.model, run.seed): said[number].value for run, said in runs if number in said}
    for corpus, model in dict.fromkeys((corpus, model) for corpus, model, _ in known if model != usual(model)):
        each = [
            differ(one, other)
            for seed in sorted({run.seed for run, _ in runs})
            if (one := known.get((corpus, model, seed))) and (other := known.get((corpus, usual(model), seed)))
        ]
        if each:
            yield Line(corpus, model, quantity, Found(across_seeds(each)), len(each))


def apart(one: Estimate, other: Estimate) -> Estimate:
    """Subtract the numbers of two models under one seed: of it alone the difference has no interval."""
    nothing = float("nan")
    return Estimate(one.value - other.value, nothing, nothing, 1, "one seed")
