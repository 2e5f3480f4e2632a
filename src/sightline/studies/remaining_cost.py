"""Estimate the time of missing runs from finished ones, of the same data and model if there are
any.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sightline.config.run_keys import run_key
from sightline.config.specs import RunSpec
from sightline.experiments.cost_estimate import mean_seconds
from sightline.experiments.grid import Grid
from sightline.experiments.store import Summary


@dataclass(frozen=True)
class RunCosts:
    """The finished runs, and their seconds: by data and model, by data, and over all (``None``)."""

    done: frozenset[str]
    seconds: Mapping[tuple[str, str] | str | None, float]

    @classmethod
    def of(cls, runs: Iterable[Summary], grid: Grid | None = None) -> RunCosts:
        """Average finished runs; with a grid only its own, because other runs take other times."""
        keys = None if grid is None else {*grid.keys}
        done = [run for run in runs if run.state == "done" and (keys is None or run.key in keys)]
        seconds: dict[tuple[str, str] | str | None, float] = {
            **mean_seconds(done, lambda run: (run.data, run.model)),
            **mean_seconds(done, lambda run: run.data),
            **mean_seconds(done, lambda run: None),
        }
        return cls(frozenset(run.key for run in done), seconds)

    def count(self, grid: Grid) -> int:
        """Count the finished runs of a grid."""
        return len(self.done.intersection(grid.keys))

    def each(self, specs: Iterable[RunSpec], usual: float) -> dict[str, float]:
        """Return the seconds of each missing run, by key; ``usual`` if no run of its data is
        finished.
        """
        left = {run_key(spec): (str(spec.data), str(spec.model)) for spec in specs}
        return {
            key: usual if data not in self.seconds else self._one(data, model)
            for key, (data, model) in left.items()
            if key not in self.done
        }

    def no_less(self, spec: RunSpec, than: float) -> float:
        """Return the seconds of a run: the mean of its data and model, or else at least ``than``.

        A run of another model may have found its training done, and then says too little of one
        that has not.
        """
        data, model = str(spec.data), str(spec.model)
        known = (data, model) in self.seconds
        return self.seconds[data, model] if known else max(than, self.seconds.get(data, than))

    def _one(self, data: str, model: str) -> float:
        return self.seconds.get((data, model), self.seconds[data])
