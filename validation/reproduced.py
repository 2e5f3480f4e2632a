"""What a store has of the papers' tables and figures, beside what is printed, and what the rest would take.

Small corpora are asked for whole, under three seeds; large ones under one, on a sample of their test texts. What takes
a training and its answers alone is asked for whole.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from published import FOLDER
from studied import ROOT, VECTORS, Stored, usual_seconds

from sightline.experiments.store import Store, Summary
from sightline.results import Table, TableCell
from sightline.studies import sparse
from sightline.studies.artefact import Artefact, Asked, Plan, plan_of
from sightline.studies.artefacts import ARTEFACTS
from sightline.studies.beside import Key, compare, order
from sightline.studies.costs import Costs
from sightline.studies.lines import Read, Said
from sightline.studies.printed import LETTERS, PAPERS, printed_in
from sightline.studies.readings import lines_of, read_readings, write_readings
from sightline.studies.trained import make_vectors, starts_in

SMALL = ("sst", "news", "babi1", "babi2", "babi3")
LARGE = ("imdb", "agnews", "snli")
WHOLE = ("J-1", "T-1", "T-5", "M-3", "W-1")
"""What is asked for whole of every corpus: it takes a training and its answers alone."""
TEXTS, ONE = 500, 1
ALONG = ("M-2", "M-F2", "M-F3")
"""What follows λ: its runs are those of the study `sparse`, on as many texts."""
READINGS = ROOT / "docs" / "verified" / "readings.jsonl"
Line = dict[str, Any]
Seconds = Mapping[str, float | None]
"""What each run of a table would still take; None if it is done."""
Of = tuple[str, str]
"""The corpus and the model of a run."""
Label = tuple[int | None, str, str]
"""The same, and on how many texts at most."""
STARTED = "tutek2020"
"""The paper whose claims rest on pretrained vectors: its words start from ours, those of others as they are drawn."""


def asked(artefact: Artefact) -> Iterator[Asked]:
    """Say how much of an artefact is asked for here, of corpora whose words start alike."""
    limit = sparse.TEXTS if artefact.name in ALONG else TEXTS
    for vectors, corpora in _starts(LETTERS[artefact.name[0]]):
        small, large = (tuple(one for one in size if one in corpora) for size in (SMALL, LARGE))
        if artefact.name in WHOLE:
            yield Asked(FOLDER, corpora=small + large, vectors=vectors)
        else:
            yield Asked(FOLDER, corpora=small, vectors=vectors)
            yield Asked(FOLDER, ONE, large, limit, vectors)


def _starts(paper: str) -> Iterable[tuple[Path | None, Collection[str]]]:
    return starts_in(VECTORS).items() if paper == STARTED else [(None, SMALL + LARGE)]


def reproduced(folder: Path, before: Stored) -> Mapping[str, Any]:
    """Table every artefact from what is done of it, in this store and in those of before.

    What was read of a run before stands where this store lacks the run; a line that rests on more seeds than can be
    read any more stays as it was, while runs are still asked for that it is of. Both are of the very same runs.
    """
    store = Store(folder, make=False)
    runs = list(store.summaries())
    make_vectors(FOLDER, VECTORS)
    readings, known = read_readings(READINGS), {one["id"]: one for one in before.get("artefacts", ())}
    told = [
        _artefact(name, one, store, runs, readings.get(name, {}), known.get(name, {}))
        for name, one in ARTEFACTS.items()
    ]
    write_readings(READINGS, [line for _, lines, _ in told for line in lines])
    return {"artefacts": [one for one, *_ in told], "once": once([seconds for *_, seconds in told]), "gates": []}


def once(told: Sequence[Seconds]) -> dict[str, Any]:
    """Count runs that several tables read once; one is done that no table still waits for.

    Where two foretell one run, the longer holds: a new table has no run of that corpus to go by.
    """
    left = dict[str, float]()
    for key, each in chain.from_iterable(seconds.items() for seconds in told):
        if each is not None:
            left[key] = max(each, left.get(key, 0.0))
    planned = len({key for seconds in told for key in seconds})
    return {"planned": planned, "done": planned - len(left), "hours_left": round(sum(left.values()) / 3600, 2)}


def _artefact(
    name: str,
    artefact: Artefact,
    store: Store,
    runs: Sequence[Summary],
    known: Mapping[str, Said | None],
    before: Stored,
) -> tuple[dict[str, Any], list[str], Seconds]:
    print(name, file=sys.stderr, flush=True)
    plans = [plan for one in asked(artefact) if (plan := plan_of(artefact, one)).corpora]
    readings, lines, left, of = list[str](), list[Line](), dict[str, float | None](), dict[str, Of]()
    seeds = dict[Label, set[int]]()
    usual = usual_seconds(before, before.get("done", 0)) or mean_of_done(plans, runs)
    for plan in plans:
        said = plan.said(store, known)
        readings += lines_of(name, plan, said)
        lines += _lines(plan, store, plan.among(said))
        seeds |= seeds_of(plan, said)
        left |= dict.fromkeys(plan.grid.keys) | _left(plan, plan.unread(said), Costs.of(runs, plan.grid), before, usual)
        of |= {key: (corpus, model) for (corpus, model, *_), key in zip(plan.grid.labels, plan.grid.keys, strict=True)}
    waiting = [each for each in left.values() if each is not None]
    told = {
        "id": name,
        "paper": PAPERS[LETTERS[artefact.name[0]]],
        "place": artefact.place,
        "told": artefact.told,
        "planned": len(left),
        "done": len(left) - len(waiting),
        "hours_left": round(sum(waiting) / 3600, 2),
        "missing": missing_of(of, left),
        "usual_seconds": usual,
        "notes": list(artefact.notes),
        "lines": _with_earlier(
            lines,
            [line for line in before.get("lines", []) if stands(line, seeds)],
            [one.of for one in printed_in(artefact.name)],
        ),
    }
    return told, readings, left


def _left(plan: Plan, unread: Container[str], costs: Costs, before: Stored, usual: float) -> dict[str, float]:
    """Give the seconds of each run that is not done and of which something was not read."""
    return {
        key: round(costs.no_less(cell, reckoned(before, (corpus, model), usual)), 1)
        for (corpus, model, *_), cell, key in zip(plan.grid.labels, plan.grid.cells, plan.grid.keys, strict=True)
        if key in unread and key not in costs.done
    }


def mean_of_done(plans: Iterable[Plan], runs: Sequence[Summary]) -> float:
    """Give what the runs of a table took, which was never counted before; 0 where none is done."""
    keys = {key for plan in plans for key in plan.grid.keys}
    return round(Costs.of(run for run in runs if run.key in keys).seconds.get(None, 0.0), 1)


def reckoned(before: Stored, of: Of, usual: float) -> float:
    """Say what a run of a corpus was reckoned to take before, where some were missing: a store does not last.

    A run of a model that was not among them takes what they took on average.
    """
    corpus, model = of
    for one in before.get("missing", ()):
        if one["corpus"] == corpus:
            return float(one.get("seconds", {}).get(model, 3600 * one["hours_left"] / one["missing"]))
    return usual


def missing_of(of: Mapping[str, Of], left: Seconds) -> list[dict[str, Any]]:
    """Say of which corpora runs are missing, how many of how many, and what they would take, in all and by model."""
    told = []
    for corpus in dict.fromkeys(corpus for corpus, _ in of.values()):
        every = [(model, left[key]) for key, (one, model) in of.items() if one == corpus]
        if waiting := [(model, each) for model, each in every if each is not None]:
            hours = round(sum(each for _, each in waiting) / 3600, 2)
            counts = {"missing": len(waiting), "planned": len(every)}
            told.append({"corpus": corpus, **counts, "hours_left": hours, "seconds": dict(waiting)})
    return told


def seeds_of(plan: Plan, said: Container[str]) -> dict[Label, set[int]]:
    """Say under which seeds something is known of the runs of each model, or is known to have been read."""
    seeds = dict[Label, set[int]]()
    for one in plan.readings:
        known = seeds.setdefault((plan.asked.limit, one.run.corpus, one.run.model), set())
        if one.name in said:
            known.add(one.run.seed)
    return seeds


def stands(line: Line, seeds: Mapping[Label, set[int]]) -> bool:
    """Say whether a line of before can be of the runs that are asked for now: a label alone does not tell.

    What is said of several corpora or models has no runs of its own, and is held against those of all.
    """
    of = (line["limit"], line["corpus"], line["model"])
    known = (
        seeds[of] if of in seeds else {seed for (limit, *_), ones in seeds.items() if limit == of[0] for seed in ones}
    )
    return int(line["seeds"]) <= len(known)


def _with_earlier(now: Sequence[Line], before: Sequence[Line], printed: Sequence[Key]) -> list[Line]:
    """Take each line where it rests on more seeds, in the order of the paper."""
    known = {_of(line): line for line in before}
    for line in now:
        if line["seeds"] >= known.get(_of(line), line)["seeds"]:
            known[_of(line)] = line
    of = order([*printed, *(key for key, _ in known)])
    return sorted(known.values(), key=lambda line: (line["limit"] or 0, of(_of(line)[0])))


def _of(line: Line) -> tuple[Key, int | None]:
    return (line["corpus"], line["model"], line["quantity"]), line["limit"]


def _lines(plan: Plan, store: Store, read: Sequence[Read]) -> Iterator[Line]:
    """Give the lines that have a number of ours."""
    if not read and plan.artefact.counted is None:
        return
    table: Table = compare(plan, store, read)
    for names, cells in zip(table.row_names, table.rows, strict=True):
        published, ours, floor, seeds, said = cells
        if isinstance(ours.value, float):
            told = dict(zip(table.row_axes, names, strict=True))
            yield {
                **told,
                "published": published.value,
                "sd": published.sd,
                "ours": _number(ours),
                "floor": _number(floor),
                "seeds": seeds.value or 0,
                "limit": plan.asked.limit,
                "said": said.value,
            }


def _number(cell: TableCell) -> dict[str, Any] | None:
    if not isinstance(cell.value, float):
        return None
    return {"value": cell.value, "low": cell.low, "high": cell.high, "n": cell.n, "method": cell.method}
