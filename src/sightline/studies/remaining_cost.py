"""What runs that are not done would take: as long as others did, of the same data and model where
there are such.
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
class Costs:
    """Which runs are done, and the seconds that they took: by data and model, by data, and of all
    (``None``).
    """

    done: frozenset[str]
    seconds: Mapping[tuple[str, str] | str | None, float]

    @classmethod
    def of(cls, runs: Iterable[Summary], grid: Grid | None = None) -> Costs:
        """Take the means of runs that are done; only of those of a grid, where runs of others take
        other time.
        """
        keys = None if grid is None else {*grid.keys}
        done = [run for run in runs if run.state == "done" and (keys is None or run.key in keys)]
        seconds: dict[tuple[str, str] | str | None, float] = {
            **mean_seconds(done, lambda run: (run.data, run.model)),
            **mean_seconds(done, lambda run: run.data),
            **mean_seconds(done, lambda run: None),
        }
        return cls(frozenset(run.key for run in done), seconds)

    def count(self, grid: Grid) -> int:
        """Count the runs of a grid that are done."""
        return len(self.done.intersection(grid.keys))

    def each(self, cells: Iterable[RunSpec], usual: float) -> dict[str, float]:
        """Give the seconds of each key not done; of data of which none is done what is ``usual``
        elsewhere.
        """
        left = {run_key(cell): (str(cell.data), str(cell.model)) for cell in cells}
        return {
            key: usual if data not in self.seconds else self._one(data, model)
            for key, (data, model) in left.items()
            if key not in self.done
        }

    def no_less(self, cell: RunSpec, than: float) -> float:
        """Give the seconds of a run: what its data and model took; where there are none, no less
        ``than`` is given.

        A run of another model may have found its training done, and says too little of one that
        will not.
        """
        data, model = str(cell.data), str(cell.model)
        known = (data, model) in self.seconds
        return self.seconds[data, model] if known else max(than, self.seconds.get(data, than))

    def _one(self, data: str, model: str) -> float:
        return self.seconds.get((data, model), self.seconds[data])
