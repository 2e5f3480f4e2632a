"""Estimate how long the runs of a study take, from finished runs and trials of the others.

A run costs as much as finished runs of the same data and model (`RunCosts`). Of data and models that
were never run, some are tried (`forecast`) and the rest get their mean.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from sightline.config.specs import RunSpec

if TYPE_CHECKING:
    from sightline.experiments.store import Summary

Span = tuple[float, float]
SECONDS = 10.0
"""Seconds for trials; at least one run is tried."""


@dataclass(frozen=True)
class Cost:
    """Least and most seconds of all runs on one worker, and the basis of the estimate; ``start`` is
    spent once by each worker.
    """

    least: float
    most: float
    basis: str
    start: float = 0.0


def estimate(todo: Sequence[RunSpec], done: Sequence[Summary]) -> Cost:
    """Estimate the time of the runs ``todo``, on one thread each as in a worker."""
    costs = RunCosts.of(done).seconds
    known = {kind: (each, each) for kind, each in costs.items() if isinstance(kind, tuple)}
    kinds = dict[tuple[str, str], RunSpec]()
    for spec in todo:
        if _kind(spec) not in known:
            kinds.setdefault(_kind(spec), spec)
    tried, start = _tried(kinds) if kinds else ({}, 0.0)
    spans = known | tried
    among = tuple(np.mean(list((tried or spans).values()), axis=0))
    each = np.array([spans.get(_kind(spec), among) for spec in todo])
    least, most = each.sum(0)
    return Cost(
        float(least), float(most), _basis(len(done), len(known), len(tried), len(kinds)), start
    )


def _kind(spec: RunSpec) -> tuple[str, str]:
    return str(spec.data), str(spec.model)


@dataclass(frozen=True)
class RunCosts:
    """The finished runs, and their mean seconds: by data and model, by data, and over all
    (``None``).
    """

    done: frozenset[str]
    seconds: Mapping[tuple[str, str] | str | None, float]

    @classmethod
    def of(cls, runs: Iterable[Summary], keys: Collection[str] | None = None) -> RunCosts:
        """Average finished runs; with ``keys`` only these, because other runs take other times."""
        among = None if keys is None else {*keys}
        done = [run for run in runs if run.state == "done" and (among is None or run.key in among)]
        seconds = dict[tuple[str, str] | str | None, list[float]]()
        for run in done:
            for group in ((run.data, run.model), run.data, None):
                seconds.setdefault(group, []).append(run.seconds)
        means = {group: float(np.mean(each)) for group, each in seconds.items()}
        return cls(frozenset(run.key for run in done), means)

    def count(self, keys: Iterable[str]) -> int:
        """Count the finished runs among these."""
        return len(self.done.intersection(keys))

    def no_less(self, spec: RunSpec, than: float) -> float:
        """Return the seconds of a run: the mean of its data and model, or else at least ``than``.

        A run of another model may have found its training done, and then says too little of one
        that has not.
        """
        known = self.seconds.get(_kind(spec))
        return max(than, self.seconds.get(str(spec.data), than)) if known is None else known


def _tried(kinds: Mapping[tuple[str, str], RunSpec]) -> tuple[dict[tuple[str, str], Span], float]:
    """Try as many kinds of run as time allows, from both ends of the list: the slowest axis differs
    most there.

    Also returns the seconds until the first trial can begin.
    """
    started = perf_counter()
    # Help and mistakes in flags must not wait for torch.
    from sightline.experiments.device import one_thread  # noqa: PLC0415  (torch)
    from sightline.experiments.forecast import forecast  # noqa: PLC0415  (torch)

    found, began = dict[tuple[str, str], Span](), perf_counter()
    start = began - started
    with one_thread():  # as every run of a study
        for kind in _from_both_ends(list(kinds)):
            if found and perf_counter() - began > SECONDS:
                break
            one = forecast(kinds[kind])
            rest = (
                one.seconds_reading + one.seconds_audit + one.seconds_judging
            )  # a run of a study writes no page
            least, most = one.training
            found[kind] = (least + rest, most + rest)
            start += one.seconds_start
    return found, start


def _from_both_ends(kinds: list[tuple[str, str]]) -> list[tuple[str, str]]:
    return [kind for pair in zip(kinds, reversed(kinds), strict=True) for kind in pair][
        : len(kinds)
    ]


def _basis(done: int, known: int, tried: int, kinds: int) -> str:
    description = [f"{done} runs that are done, of {known} data and models"] if known else []
    never = "data and models that were never run; the others like these"
    return " and ".join(
        [*description, f"a trial of {tried} of {kinds} {never}"] if kinds else description
    )
