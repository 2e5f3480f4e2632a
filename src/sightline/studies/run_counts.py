"""Count a study: its finished runs in a store, earlier readings, and the time of the rest."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sightline.experiments.cost_estimate import RunCosts
from sightline.experiments.grid import Grid
from sightline.experiments.store import Store, Summary
from sightline.studies.aggregate import AggregateLine
from sightline.studies.kept_results import StudyResults, page, row_of
from sightline.studies.papers import predicted_cost
from sightline.studies.results_file import Row
from sightline.studies.run_plan import COUNTED, Plan
from sightline.studies.study_definition import Params, Study, Values, finished_runs

Seconds = Mapping[str, float | None]
"""The remaining seconds of each run of a study; None if it is done."""
CorpusModel = tuple[str, str]
"""The corpus and the model of a run."""


@dataclass(frozen=True)
class StudyCount:
    """The current state of a study, and the remaining seconds of each run."""

    kept: StudyResults
    left: Seconds


def count(
    study: Study, plans: Sequence[Plan], store: Store, runs: Sequence[Summary], before: StudyResults
) -> StudyCount:
    """Count a study from its finished runs, in this store and earlier ones.

    An earlier reading is kept if this store lacks the run. A mean over more seeds than can be read
    now is kept while any of its runs is still wanted.
    """
    usual = usual_seconds(before.status) or mean_of_done(plans, runs)
    readings = dict[str, tuple[Row, Values | None]]()
    lines, left, of = list[AggregateLine](), dict[str, float | None](), dict[str, CorpusModel]()
    seeds = dict[CorpusModel, set[int]]()
    for plan in plans:
        said = plan.said(store, before.said)
        readings |= {
            one.name: (row_of(study, one.run, one.name), said[one.name])
            for one in plan.readings
            if one.name in said
        }
        lines += [] if study.summary else plan.lines(plan.among(said))
        seeds |= seeds_of(plan, said)
        left |= dict.fromkeys(plan.grid.keys) | remaining_seconds(
            plan, plan.unread(said), store, runs, before
        )
        of |= {key: (run.corpus, run.model) for key, run in plan.keyed}
    # Pages show the lines of single corpora alone.
    of_one = (line for line in before.means if not study.corpora or line.corpus in study.corpora)
    means = wanted_means(of_one, lines, seeds)
    counts = [line for line in lines if line.found.value.method == COUNTED]
    status = {**status_of(left), "usual_seconds": usual}
    return StudyCount(StudyResults(status, missing_of(of, left), readings, [*counts, *means]), left)


def table(study: Study, grid: Grid, store: Store) -> dict[str, Any]:
    """Return what a page shows of the runs of a grid, all of them finished."""
    plan = Plan(study.over(grid), Params(), (), {})
    found = (
        count_whole(study, plan, store)
        if study.whole
        else count(study, [plan], store, (), StudyResults()).kept
    )
    return page(study, replace(found, status=_said(found.status)))


def _said(status: Values) -> Values:
    return {name: value for name, value in status.items() if name not in PROGRESS}


PROGRESS = ("planned", "done", "hours_left", "usual_seconds")
"""The fields that describe the progress of a study."""


def count_whole(study: Study, plan: Plan, store: Store) -> StudyResults:
    """Count all finished runs at once."""
    assert study.whole is not None  # the caller has checked it
    fields = dict(study.whole(finished_runs(plan.grid, store), store))
    groups = fields.pop("rows")
    rows = [
        (Row(study.id, one.pop(study.axes[0]), one.pop(study.axes[1])), one)
        for one in map(dict, groups)
    ]
    return StudyResults(fields, {}, {"; ".join(row.of): (row, values) for row, values in rows}, ())


def wanted_means(
    before: Iterable[AggregateLine],
    now: Iterable[AggregateLine],
    seeds: Mapping[CorpusModel, set[int]],
) -> list[AggregateLine]:
    """Keep earlier means that rest on more seeds than the new ones."""
    known = {line.of: line.seeds for line in now}
    return [
        line
        for line in before
        if line.seeds and line.seeds > known.get(line.of, 0) and is_wanted(line, seeds)
    ]


def status_of(left: Seconds) -> dict[str, Any]:
    """Return how many runs are planned and done, and the hours of one worker for the rest."""
    waiting = [each for each in left.values() if each is not None]
    hours = round(sum(waiting) / 3600, 2)
    return {"planned": len(left), "done": len(left) - len(waiting), "hours_left": hours}


def usual_seconds(status: Values) -> float:
    """Return the estimated seconds of a missing run; kept, so that counting twice
    changes nothing.
    """
    if "usual_seconds" in status:
        return float(status["usual_seconds"])
    missing = status.get("planned", 0) - status.get("done", 0)
    return round(3600 * status["hours_left"] / missing, 1) if missing > 0 else 0.0


def remaining_seconds(
    plan: Plan, unread: Container[str], store: Store, runs: Sequence[Summary], before: StudyResults
) -> dict[str, float]:
    """Return the seconds of each missing run: predicted for a table of a paper, from finished runs
    for a calibration.
    """
    if plan.study.paper:
        return predicted_cost.left_of(plan.keyed, store, unread)
    usual = usual_seconds(before.status) or mean_of_done([plan], runs)
    return seconds_left(plan, unread, RunCosts.of(runs, plan.grid.keys), before, usual)


def seconds_left(
    plan: Plan, unread: Container[str], costs: RunCosts, before: StudyResults, usual: float
) -> dict[str, float]:
    """Return the seconds of each run that is not done and has something unread."""
    return {
        key: round(
            costs.no_less(run.spec, earlier_estimate(before, (run.corpus, run.model), usual)), 1
        )
        for key, run in plan.keyed
        if key in unread and key not in costs.done
    }


def mean_of_done(plans: Iterable[Plan], runs: Sequence[Summary]) -> float:
    """Return the mean seconds of finished runs of a study that was never counted; 0 if none is
    finished.
    """
    keys = {key for plan in plans for key in plan.grid.keys}
    return round(RunCosts.of(runs, keys).seconds.get(None, 0.0), 1)


def earlier_estimate(before: StudyResults, of: CorpusModel, usual: float) -> float:
    """Return the earlier estimate for a run of a corpus, if runs were missing then.

    A store does not last. A run of a model that was not among them takes their average.
    """
    corpus, model = of
    if (known := before.by_corpus.get(corpus)) is None:
        return usual
    mean = 3600 * known["hours_left"] / known["missing"]
    return float(known.get("seconds", {}).get(model, mean))


def missing_of(of: Mapping[str, CorpusModel], left: Seconds) -> dict[str, Values]:
    """Return the corpora with missing runs, and their time, in all and by model; the runs of a study
    file have no corpus.
    """
    found = dict[str, Values]()
    for corpus in dict.fromkeys(corpus for corpus, _ in of.values() if corpus):
        every = [(model, left[key]) for key, (one, model) in of.items() if one == corpus]
        if waiting := [(model, each) for model, each in every if each is not None]:
            hours = round(sum(each for _, each in waiting) / 3600, 2)
            counts = {"missing": len(waiting), "planned": len(every), "hours_left": hours}
            found[corpus] = {**counts, "seconds": dict(waiting)}
    return found


def seeds_of(plan: Plan, said: Container[str]) -> dict[CorpusModel, set[int]]:
    """Return the seeds of each model for which something was read."""
    seeds = dict[CorpusModel, set[int]]()
    for one in plan.readings:
        known = seeds.setdefault((one.run.corpus, one.run.model), set())
        if one.name in said:
            known.add(one.run.seed)
    return seeds


def is_wanted(line: AggregateLine, seeds: Mapping[CorpusModel, Collection[int]]) -> bool:
    """Tell whether an earlier mean can belong to the runs that are wanted now.

    A line over several models has no runs of its own, and is compared with all.
    """
    of = (line.corpus, line.model)
    every = {seed for known in seeds.values() for seed in known}
    return line.seeds <= len(seeds.get(of, every))
