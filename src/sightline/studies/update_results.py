"""Update the results file with what a store has for some studies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from sightline.config.base_runs import lender_of, names_lent_by
from sightline.config.specs import RunSpec
from sightline.data.word_vectors import write_vectors
from sightline.experiments.cost_estimate import RunCosts
from sightline.experiments.grid import Grid
from sightline.experiments.store import Store, Summary
from sightline.studies.kept_results import StudyResults, kept_of, page, rows_kept
from sightline.studies.papers.run_order import PaperForecast, forecast, ordered
from sightline.studies.papers.study_models import DIMENSION, make_vectors, starts_in
from sightline.studies.results_file import locked, read_rows, write_rows
from sightline.studies.run_counts import (
    Seconds,
    StudyCount,
    count,
    count_whole,
    remaining_seconds,
    status_of,
    usual_seconds,
)
from sightline.studies.run_plan import Plan, Readings, unread_of
from sightline.studies.study_catalogue import ALL, FROM_VECTORS, STUDIES, plans_of
from sightline.studies.unasked_results import with_unasked

ORDER = {name: place for place, name in enumerate((ALL, *STUDIES))}


@dataclass(frozen=True)
class Work:
    """Some planned studies, and what was kept for all studies before."""

    plans: Mapping[str, Sequence[Plan]]
    before: Mapping[str, StudyResults]

    @property
    def uncounted(self) -> Work:
        """Return the same work as if the results file had no run; the times that it has stay."""

        def emptied(known: StudyResults) -> StudyResults:
            usual = usual_seconds(known.status)
            status = {**known.status, "done": 0, "usual_seconds": usual}
            return replace(known, status=status, readings={}, means=())

        planned = {name: emptied(self.before[name]) for name in self.plans if name in self.before}
        return replace(self, before={**self.before, **planned})

    @property
    def runs(self) -> dict[str, tuple[str, RunSpec]]:
        """Return every run once, by its key, with the first study that needs it: the papers' runs
        in the order of their protocol.
        """
        found = dict[str, tuple[str, RunSpec]]()
        for one in ordered(self.papers):
            found.setdefault(one.key, (one.table, one.spec))
        for name, plans in self.plans.items():
            for plan in plans:
                for key, run in zip(plan.grid.keys, plan.grid.specs, strict=True):
                    found.setdefault(key, (name, run))
        return found

    @property
    def papers(self) -> dict[str, Plan]:
        """Return the plans of the papers' tables."""
        return {name: plans[0] for name, plans in self.plans.items() if STUDIES[name].paper}

    def forecast(self, store: Store) -> PaperForecast:
        """Return what remains of the papers' tables."""
        return forecast(self.papers, store, {name: self._said(name) for name in self.before})

    def _said(self, study: str) -> Readings:
        """Return what was read for a study before."""
        return self.before.get(study, StudyResults()).said

    def _is_counted(self, study: str, plan: Plan) -> bool:
        """Tell whether the file has the counts of every run of a study that is counted as a whole."""
        known = self.before.get(study, StudyResults())
        every = len({*plan.grid.keys})
        return STUDIES[study].whole is not None and _counted(known, plan) == every

    @property
    def notes(self) -> list[str]:
        """Name studies counted as a whole whose counts are of other runs, or do not say of which."""
        found = dict[str, str]()
        for name, plans in self.plans.items():
            known = self.before.get(name, StudyResults())
            if STUDIES[name].whole is not None and known.readings:
                recorded = known.status.get(RUNS_DIGEST)
                if recorded is None:
                    found[name] = "do not record their runs and are taken as counts of these runs"
                elif recorded != _digest(plans[0]):
                    found[name] = "are of runs with other settings and do not count"
        return [f"{name}: the counts in the results file {about}" for name, about in found.items()]

    def grid(self, name: str, *, but_known: bool = False) -> Grid:
        """List every run once; ``but_known`` leaves out runs of which the file has every number that
        a study needs, unless another run borrows their attention.
        """
        runs = self.runs
        if but_known:
            asked = (
                (plan, self._said(of))
                for of, plans in self.plans.items()
                for plan in plans
                if not self._is_counted(of, plan)
            )
            unread = unread_of(asked)
            lending = {lender_of(run) for key, (_, run) in runs.items() if key in unread} - {""}
            runs = {
                key: (study, run)
                for key, (study, run) in runs.items()
                if key in unread or (lending and lending & names_lent_by(run))
            }
        labels = tuple((study, *_label(run)) for study, run in runs.values())
        return Grid(name, tuple(run for _, run in runs.values()), AXES, labels)


AXES = ("study", "data", "model", "seed")


def _label(run: RunSpec) -> tuple[str, str, str]:
    return str(run.data), str(run.model), str(run.seed)


def work_on(
    names: Iterable[str],
    file: Path | None,
    folder: Path,
    vectors: Path,
    seeds: int | None = None,
    aside: Path | None = None,
    words: Path | None = None,
) -> Work:
    """Plan some studies on the corpora of a folder; words of the papers' models start from
    ``words``.

    Word vectors of calibrations are made if needed. With a folder ``aside`` nothing is made:
    missing files are replaced there by placeholders for the plan, which does not depend on their
    content.
    """
    studies = {name: STUDIES[name] for name in names}
    if any(name in FROM_VECTORS for name in studies):
        if aside is None:
            make_vectors(folder, vectors)
        else:
            vectors = _stand_in(vectors, aside)
    plans = {
        name: plans_of(study, folder, vectors, seeds, words) for name, study in studies.items()
    }
    return Work(plans, kept_of(read_rows(file)) if file else {})


def _stand_in(vectors: Path, aside: Path) -> Path:
    """Put each file of vectors, or a meaningless placeholder, into a folder."""
    for file in starts_in(vectors):
        place = aside / file.name
        if file.exists():
            place.symlink_to(file.resolve())
        else:
            write_vectors(place, ("a", "b"), np.ones((2, DIMENSION)))
    return aside


def recount(work: Work, store: Store) -> dict[str, StudyResults]:
    """Return what is kept for every study, after recounting some from a store and from earlier
    readings.
    """
    runs = list(store.summaries())
    counts = {
        name: _count(name, plans, store, runs, work.before) for name, plans in work.plans.items()
    }
    kept = {**work.before, **{name: one.kept for name, one in counts.items()}}
    if all(name in counts for name in STUDIES if STUDIES[name].paper):
        kept[ALL] = StudyResults(work.forecast(store).status)
    return kept


def _count(
    name: str,
    plans: Sequence[Plan],
    store: Store,
    runs: Sequence[Summary],
    before: Mapping[str, StudyResults],
) -> StudyCount:
    study, known = STUDIES[name], before.get(name, StudyResults())
    if study.whole is None:
        return count(study, plans, store, runs, known)
    (plan,) = plans
    costs = RunCosts.of(runs, plan.grid.keys)
    done, left = costs.count(plan.grid.keys), _left_of_whole(plan, costs, known)
    if not done or done < _counted(known, plan):  # the file rests on more runs
        return StudyCount(known, left)
    found = count_whole(study, plan, store)
    status = {
        **found.status,
        **status_of(left),
        "usual_seconds": usual_seconds(known.status),
        RUNS_DIGEST: _digest(plan),
    }
    return StudyCount(replace(found, status=status), left)


def _left_of_whole(plan: Plan, costs: RunCosts, known: StudyResults) -> Seconds:
    """Return the seconds of each run of a study counted as a whole that is neither done here nor
    counted before; earlier counts do not name their runs, so the first missing ones are taken.
    """
    usual = usual_seconds(known.status)
    missing = {
        key: costs.no_less(spec, usual)
        for spec, key in zip(plan.grid.specs, plan.grid.keys, strict=True)
        if key not in costs.done
    }
    before = max(0, _counted(known, plan) - costs.count(plan.grid.keys))
    return {**dict.fromkeys(plan.grid.keys), **dict([*missing.items()][before:])}


RUNS_DIGEST = "runs_digest"
"""The field that records the runs of a study counted as a whole, by a digest of their keys."""


def _digest(plan: Plan) -> str:
    return sha256(" ".join(sorted({*plan.grid.keys})).encode()).hexdigest()[:16]


def _counted(known: StudyResults, plan: Plan) -> int:
    """Return how many runs of a study counted as a whole its counts rest on: none if they are of
    other runs, all if they record neither runs nor progress.
    """
    every = len({*plan.grid.keys})
    if known.status.get(RUNS_DIGEST, digest := _digest(plan)) != digest:
        return 0
    there = bool(known.readings or known.means)
    return min(every, int(known.status.get("done", every if there else 0)))


def progress(work: Work, store: Store) -> dict[str, Mapping[str, Any]]:
    """Return how much of each study is done, here or before, and the hours of the rest; no audit is
    read.
    """
    runs = list(store.summaries())
    return {
        name: status_of(_left(name, plans, store, runs, work.before))
        for name, plans in work.plans.items()
    }


def _left(
    name: str,
    plans: Sequence[Plan],
    store: Store,
    runs: Sequence[Summary],
    before: Mapping[str, StudyResults],
) -> Seconds:
    known = before.get(name, StudyResults())
    if STUDIES[name].whole is not None:
        (plan,) = plans
        return _left_of_whole(plan, RunCosts.of(runs, plan.grid.keys), known)
    left = dict[str, float | None]()
    for plan in plans:
        costs = RunCosts.of(runs, plan.grid.keys)
        done = {one.name: None for one in plan.readings if costs.done.issuperset(one.keys)}
        unread = plan.unread({**known.said, **done})
        left |= dict.fromkeys(plan.grid.keys) | remaining_seconds(plan, unread, store, runs, known)
    return left


def update_file(file: Path, work: Work, store: Store) -> dict[str, StudyResults]:
    """Recount the studies of a work from a store, and update them in the results file; what others
    wrote there meanwhile stays, and so does what the work does not ask for.
    """
    with locked(file):
        before = kept_of(read_rows(file))
        now = recount(replace(work, before=before), store)
        write_kept(file, {**now, **_unasked(work, before, now)})
    return now


def _unasked(
    work: Work, before: Mapping[str, StudyResults], now: Mapping[str, StudyResults]
) -> dict[str, StudyResults]:
    """Return the studies of which the file holds more than was counted now."""
    found = {
        name: with_unasked(STUDIES[name], plans, now[name], before[name])
        for name, plans in work.plans.items()
        if STUDIES[name].whole is None and name in before
    }
    more = {name: one for name, one in found.items() if one != now[name]}
    in_part = (STUDIES[name].paper for name, one in more.items() if one.status != now[name].status)
    if ALL in before and any(in_part):
        more[ALL] = before[ALL]
    return more


def write_kept(file: Path, kept: Mapping[str, StudyResults]) -> Path:
    """Write what is kept for every study to the results file."""
    names = sorted(kept, key=lambda name: ORDER.get(name, len(ORDER)))
    return write_rows(file, (row for name in names for row in rows_kept(name, kept[name])))


def gates_of(name: str, kept: StudyResults) -> Sequence[Mapping[str, Any]]:
    """Return the promises of a study, and whether they hold."""
    study = STUDIES[name]
    if study.summary is None or not kept.readings:
        return ()
    gates: Sequence[Mapping[str, Any]] = page(study, kept).get("gates", ())
    return gates
