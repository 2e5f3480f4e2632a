"""Estimate the missing runs of a study, from finished runs and trials of the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any

from sightline.api.hooks import OnNote
from sightline.api.study import PlannedStudy, RunSettings, runs_to_make
from sightline.config.run_keys import run_key
from sightline.core.errors import SightlineError
from sightline.experiments.cost_estimate import Cost
from sightline.experiments.executors.worker_choice import Workers
from sightline.experiments.store import Store, Summary

if TYPE_CHECKING:
    from sightline.config.specs import RunSpec


PREDICTED = "by tokens × epochs × the cost of the encoder and of each measure"


@dataclass(frozen=True)
class StudyForecast:
    """How many runs there are, and the hours and bytes of the runs to make."""

    runs: int
    done: int
    failed: int
    to_run: int
    workers: int
    hours: float
    hours_least: float
    disk_bytes: float
    basis: str
    found: Mapping[str, Summary]

    @property
    def counts(self) -> dict[str, int]:
        """The number of runs in each state."""
        return {
            "runs": self.runs,
            "done": self.done,
            "failed": self.failed,
            "to_run": self.to_run,
        }

    def to_json(self) -> dict[str, Any]:
        """Return it as plain JSON values."""
        hours = {"hours": self.hours, "hours_least": self.hours_least}
        rest = {"disk_bytes": self.disk_bytes, "basis": self.basis}
        return self.counts | {"workers": self.workers} | hours | rest


def forecast_study(
    study: PlannedStudy,
    store: Store,
    running: RunSettings,
    on_note: OnNote,
    began: float | None = None,
) -> StudyForecast:
    """Estimate the missing runs of a study; nothing is written. ``began`` is the start of the
    process.
    """
    found = store.find(study.grid.keys)
    todo = runs_to_make(study, found, running)
    before = 0.0 if began is None else perf_counter() - began
    workers = _processors(running.workers, on_note) if todo else running.workers.processes
    states = [summary.state for summary in found.values()]
    cost = _cost(study, store, todo, found)
    least, most = (
        (before + cost.start + seconds / workers) / 3600 for seconds in (cost.least, cost.most)
    )
    disk = store.bytes_a_run() * len(todo) if todo else 0.0
    counts = (len(study.grid.specs), states.count("done"), states.count("failed"), len(todo))
    return StudyForecast(*counts, workers, most, least, disk, cost.basis, found)


def _processors(asked: Workers, on_note: OnNote) -> int:
    """Count the workers. A cluster that is not running yet counts as one worker, so that a plan can
    still be made.
    """
    if asked.cluster is None:
        return asked.jobs or asked.processes
    from sightline.experiments.executors.ray_cluster import Cluster  # noqa: PLC0415  (as late as it is needed)

    try:
        return Cluster(asked.cluster).processors()
    except SightlineError as error:
        on_note(f"planned for one worker: {error}")
        return 1


def _cost(
    study: PlannedStudy, store: Store, todo: Sequence[RunSpec], found: Mapping[str, Summary]
) -> Cost:
    """Predict the runs of a paper's table as its other forecasts do, and time a few runs of any other
    study.
    """
    if not todo:
        return Cost(0.0, 0.0, "nothing to run")
    if study.seconds_left is not None:
        each, wanted = study.seconds_left(store), {run_key(spec) for spec in todo}
        seconds = sum(took for key, took in each.items() if key in wanted)
        return Cost(seconds, seconds, PREDICTED)
    from sightline.experiments.cost_estimate import estimate  # noqa: PLC0415  (torch)

    return estimate(todo, [summary for summary in found.values() if summary.state == "done"])
