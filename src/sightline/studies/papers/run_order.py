"""List the runs of all tables in the order of the protocol, each once, and their time by table and
corpus.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, groupby
from typing import Any

from sightline.config.specs import RunSpec
from sightline.experiments.store import Store
from sightline.studies.papers.predicted_cost import left_of, pace_of
from sightline.studies.papers.protocol import in_stages
from sightline.studies.run_plan import Plan, Readings, unread_of

LATER = "not in the protocol"
"""The stage of runs beyond the protocol, such as more seeds."""


@dataclass(frozen=True)
class OrderedRun:
    """A run as one table needs it: its stage, corpus and model."""

    stage: str
    table: str
    corpus: str
    model: str
    seed: int
    key: str
    spec: RunSpec


def ordered(plans: Mapping[str, Plan]) -> list[OrderedRun]:
    """List the runs of all tables in the order of the protocol; a run is listed once for each table
    that reads it.
    """
    found = [*_by_stage(plans)]
    known = {(run.table, run.corpus, run.model, run.key) for run in found}
    rest = chain.from_iterable(_runs(LATER, table, plan) for table, plan in plans.items())
    return [*found, *(run for run in rest if _of(run) not in known)]


def _of(run: OrderedRun) -> tuple[str, ...]:
    return run.table, run.corpus, run.model, run.key


def _by_stage(plans: Mapping[str, Plan]) -> Iterator[OrderedRun]:
    every = {
        table: {
            of: [*runs]
            for of, runs in groupby(
                sorted(_runs("", table, plan), key=_corpus_and_seed), _corpus_and_seed
            )
        }
        for table, plan in plans.items()
    }
    seen = set[tuple[str, str, int]]()
    corpora = {table: plan.corpora for table, plan in plans.items()}
    for stage, table, corpus, seed in in_stages(corpora):
        if (table, corpus, seed) not in seen:
            seen.add((table, corpus, seed))
            for run in every[table].get((corpus, seed), ()):
                yield OrderedRun(**{**vars(run), "stage": stage.asks})


def _corpus_and_seed(run: OrderedRun) -> tuple[str, int]:
    return run.corpus, run.seed


def _runs(stage: str, table: str, plan: Plan) -> Iterator[OrderedRun]:
    for key, run in plan.keyed:
        yield OrderedRun(stage, table, run.corpus, run.model, run.seed, key, run.spec)


@dataclass(frozen=True)
class PaperForecast:
    """What remains of the papers' tables, in seconds of one worker.

    Each run, and each training, counts where it is needed first.
    """

    runs: Sequence[OrderedRun]
    left: Mapping[str, float]
    pace: float | None = None
    """The time of finished runs in the store relative to the prediction."""

    @property
    def status(self) -> dict[str, Any]:
        """Return how many runs are planned and done, and the hours of the rest."""
        planned = len({run.key for run in self.runs})
        hours = sum(self.left.values()) / 3600
        return {
            "planned": planned, "done": planned - len(self.left), "hours_left": round(hours, 2)
        }  # fmt: skip

    def by_table(self) -> list[dict[str, Any]]:
        """Return for each table and corpus the number of configurations and runs, of runs that no
        earlier table needs, and their hours.
        """
        first = self._first()
        groups = dict[tuple[str, str], list[OrderedRun]]()
        for run in self.runs:
            groups.setdefault((run.table, run.corpus), []).append(run)
        return [
            {
                "table": table,
                "corpus": corpus,
                "configurations": len({run.model for run in runs}),
                "seeds": len({run.seed for run in runs}),
                "runs": len({run.key for run in runs}),
                **self._own({run.key for run in runs if first[run.key] == (table, corpus)}),
            }
            for (table, corpus), runs in groups.items()
        ]

    def by_stage(self) -> list[dict[str, Any]]:
        """Return how many runs each stage adds, and after how many hours it ends."""
        stages = dict[str, set[str]]()
        seen, total, rows = set[str](), 0.0, []
        for run in self.runs:
            if run.key not in seen:
                seen.add(run.key)
                stages.setdefault(run.stage, set()).add(run.key)
        for stage, keys in stages.items():
            own = self._own(keys)
            total += own["hours_left"]
            rows.append({"stage": stage, **own, "hours_by_its_end": round(total, 2)})
        return rows

    def _first(self) -> dict[str, tuple[str, str]]:
        found = dict[str, tuple[str, str]]()
        for run in self.runs:
            found.setdefault(run.key, (run.table, run.corpus))
        return found

    def _own(self, keys: Iterable[str]) -> dict[str, Any]:
        every = {*keys}
        left = [self.left[key] for key in every if key in self.left]
        return {
            "new": len(every), "to_run": len(left), "hours_left": round(sum(left) / 3600, 2)
        }  # fmt: skip


def forecast(
    plans: Mapping[str, Plan], store: Store | None, read: Mapping[str, Readings]
) -> PaperForecast:
    """Return what remains of the tables; ``read`` names the readings that were kept before, by
    table.
    """
    runs = ordered(plans)
    unread = unread_of((plan, read.get(table, {})) for table, plan in plans.items())
    keyed = [(run.key, run) for run in runs]
    pace = None if store is None else pace_of(keyed, store.summaries())
    return PaperForecast(runs, left_of(keyed, store, unread), pace)
