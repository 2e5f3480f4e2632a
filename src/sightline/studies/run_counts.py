"""Counting a study: what a store has of it, what was read of it before, and what the rest would
take.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sightline.experiments.grid import Grid
from sightline.experiments.store import Store, Summary
from sightline.studies.aggregate import AggregateLine
from sightline.studies.kept_results import Kept, page, row_of
from sightline.studies.papers import predicted_cost
from sightline.studies.remaining_cost import Costs
from sightline.studies.results_file import Row
from sightline.studies.run_plan import Plan
from sightline.studies.study_definition import Params, Study, Values, so_far
from sightline.studies.study_definition import plan as left_of

Seconds = Mapping[str, float | None]
"""What each run of a study would still take; None if it is done."""
Of = tuple[str, str]
"""The corpus and the model of a run."""


@dataclass(frozen=True)
class Count:
    """What there is of a study now, and what each of its runs would still take."""

    kept: Kept
    left: Seconds


def count(
    study: Study, plans: Sequence[Plan], store: Store, runs: Sequence[Summary], before: Kept
) -> Count:
    """Count a study from what is done of it, in this store and in those of before.

    What was read of a run before stands where this store lacks the run; a mean that rests on more
    seeds than can be read any more stays, while runs are still asked for that it is of.
    """
    usual = usual_seconds(before.status) or mean_of_done(plans, runs)
    readings = dict[str, tuple[Row, Values | None]]()
    lines, left, of = list[AggregateLine](), dict[str, float | None](), dict[str, Of]()
    seeds = dict[Of, set[int]]()
    for plan in plans:
        said = plan.said(store, before.said)
        readings |= {
            one.name: (row_of(study, one.run, one.name), said[one.name])
            for one in plan.readings
            if one.name in said
        }
        lines += [] if study.summary else plan.lines(plan.among(said))
        seeds |= seeds_of(plan, said)
        left |= dict.fromkeys(plan.grid.keys) | waiting(
            plan, plan.unread(said), store, runs, before
        )
        pairs = zip(plan.planned, plan.grid.keys, strict=True)
        of |= {key: (run.corpus, run.model) for run, key in pairs}
    means = still_needed(before.means, lines, seeds)
    counts = [line for line in lines if not line.seeds]
    status = {**status_of(left), "usual_seconds": usual}
    return Count(Kept(status, missing_of(of, left), readings, [*counts, *means]), left)


def table(study: Study, grid: Grid, store: Store) -> dict[str, Any]:
    """Give what a page shows of the runs of a grid, all of them done."""
    plan = Plan(study.over(grid), Params(), (), {})
    found = (
        count_whole(study, plan, store)
        if study.whole
        else count(study, [plan], store, (), Kept()).kept
    )
    return page(study, replace(found, status=_said(found.status)))


def _said(status: Values) -> Values:
    return {name: value for name, value in status.items() if name not in PROGRESS}


PROGRESS = ("planned", "done", "hours_left", "usual_seconds")
"""What is known of how far a study is."""


def count_whole(study: Study, plan: Plan, store: Store) -> Kept:
    """Count the runs that are done all at once."""
    assert study.whole is not None  # who calls this looked
    fields = dict(study.whole(done_of(plan, store), store))
    groups = fields.pop("rows")
    rows = [
        (Row(study.id, one.pop(study.axes[0]), one.pop(study.axes[1])), one)
        for one in map(dict, groups)
    ]
    return Kept(fields, {}, {"; ".join(row.of): (row, values) for row, values in rows}, ())


def done_of(plan: Plan, store: Store) -> Grid:
    """List the runs that are done."""
    return so_far(plan.grid, left_of(plan.grid, store))


def still_needed(
    before: Iterable[AggregateLine], now: Iterable[AggregateLine], seeds: Mapping[Of, set[int]]
) -> list[AggregateLine]:
    """Keep the means of before that rest on more seeds than those of now."""
    known = {line.of: line.seeds for line in now}
    return [
        line
        for line in before
        if line.seeds and line.seeds > known.get(line.of, 0) and stands(line, seeds)
    ]


def status_of(left: Seconds) -> dict[str, Any]:
    """Say how many runs are planned and done, and the hours of one worker that the rest would
    take.
    """
    waiting = [each for each in left.values() if each is not None]
    hours = round(sum(waiting) / 3600, 2)
    return {"planned": len(left), "done": len(left) - len(waiting), "hours_left": hours}


def usual_seconds(status: Values) -> float:
    """Give what a missing run was estimated to take; kept, so that counting twice changes
    nothing.
    """
    if "usual_seconds" in status:
        return float(status["usual_seconds"])
    missing = status.get("planned", 0) - status.get("done", 0)
    return round(3600 * status["hours_left"] / missing, 1) if missing > 0 else 0.0


def waiting(
    plan: Plan, unread: Container[str], store: Store, runs: Sequence[Summary], before: Kept
) -> dict[str, float]:
    """Give the seconds of each run that is not done: as predicted for a table of a paper, and as
    long as others took for a calibration.
    """
    if plan.artefact.paper:
        return predicted_cost.left_of(plan.keyed, store, unread)
    usual = usual_seconds(before.status) or mean_of_done([plan], runs)
    return seconds_left(plan, unread, Costs.of(runs, plan.grid), before, usual)


def seconds_left(
    plan: Plan, unread: Container[str], costs: Costs, before: Kept, usual: float
) -> dict[str, float]:
    """Give the seconds of each run that is not done and of which something was not read."""
    runs = zip(plan.planned, plan.grid.cells, plan.grid.keys, strict=True)
    return {
        key: round(costs.no_less(cell, reckoned(before, (run.corpus, run.model), usual)), 1)
        for run, cell, key in runs
        if key in unread and key not in costs.done
    }


def mean_of_done(plans: Iterable[Plan], runs: Sequence[Summary]) -> float:
    """Give what the runs of a study took that was never counted before; 0 where none is done."""
    keys = {key for plan in plans for key in plan.grid.keys}
    done = Costs.of(run for run in runs if run.key in keys)
    return round(done.seconds.get(None, 0.0), 1)


def reckoned(before: Kept, of: Of, usual: float) -> float:
    """Say what a run of a corpus was estimated to take before, where some were missing.

    A store does not last. A run of a model that was not among them takes what they took on average.
    """
    corpus, model = of
    if (known := before.by_corpus.get(corpus)) is None:
        return usual
    mean = 3600 * known["hours_left"] / known["missing"]
    return float(known.get("seconds", {}).get(model, mean))


def missing_of(of: Mapping[str, Of], left: Seconds) -> dict[str, Values]:
    """Say of which corpora runs are missing, and what they would take, in all and by model."""
    found = dict[str, Values]()
    for corpus in dict.fromkeys(corpus for corpus, _ in of.values()):
        every = [(model, left[key]) for key, (one, model) in of.items() if one == corpus]
        if waiting := [(model, each) for model, each in every if each is not None]:
            hours = round(sum(each for _, each in waiting) / 3600, 2)
            counts = {"missing": len(waiting), "planned": len(every), "hours_left": hours}
            found[corpus] = {**counts, "seconds": dict(waiting)}
    return found


def seeds_of(plan: Plan, said: Container[str]) -> dict[Of, set[int]]:
    """Say under which seeds something was read of the runs of each model."""
    seeds = dict[Of, set[int]]()
    for one in plan.readings:
        known = seeds.setdefault((one.run.corpus, one.run.model), set())
        if one.name in said:
            known.add(one.run.seed)
    return seeds


def stands(line: AggregateLine, seeds: Mapping[Of, Collection[int]]) -> bool:
    """Say whether a mean of before can be of the runs that are asked for now.

    What is said of several corpora or models has no runs of its own, and is held against all.
    """
    of = (line.corpus, line.model)
    every = {seed for known in seeds.values() for seed in known}
    return line.seeds <= len(seeds.get(of, every))
