"""How a script does a study: flags for its store, what is left of it, and its table."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from sightline.experiments.executors.processes import Processes
from sightline.experiments.grid import Grid
from sightline.experiments.store import Store
from sightline.spec.keys import lasting_key
from sightline.spec.values import RunSpec
from sightline.studies.costs import Costs
from sightline.studies.study import Plan, Study, Summable, complete, plan, so_far, with_earlier

ROOT = Path(__file__).parent.parent
Stored = Mapping[str, Any]
"""A file of results as it was read."""
VECTORS = ROOT / "runs"
"""Where word vectors are: made from training texts, once, by the studies that start models from them."""


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Let the command say where runs are kept, and how they are made."""
    store = ROOT / "runs" / "verified"
    parser.add_argument("--store", type=Path, default=store, help="where runs are kept; a killed study resumes")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seeds", type=int, help="take only the first few seeds, print the result, and write nothing")
    parser.add_argument("--so-far", action="store_true", help="run nothing: table what is done, and say what is not")
    parser.add_argument("--go-on", action="store_true", help="run what neither the store nor the written table has")
    parser.add_argument("--dry-run", action="store_true", help="say what is left to run, and run nothing")


def studied(study: Study, grid: Grid, flags: argparse.Namespace, before: Stored | None) -> Mapping[str, Any] | None:
    """Run what is left of a study and give its table; nothing where it was only asked what that is.

    A table of what is done so far says how many runs are planned, and what the rest would take of one worker. It keeps
    the runs of the table ``before`` that the store lacks, where they are the very same: stores do not last as it does.
    """
    store = Store(flags.store, make=not (flags.dry_run or flags.so_far))
    left = plan(grid, store)
    if flags.go_on:
        left = replace(left, todo=uncounted(left.todo, before or {}))
    print(f"{grid.name}: {left.cells} runs, {len(left.todo)} to run ({_cost(left, store)})", file=sys.stderr)
    if flags.dry_run or (flags.so_far and len(left.todo) == left.cells):
        return None
    if not flags.so_far:
        complete(left.todo, store, Processes(flags.workers), tell)
    if not (flags.so_far or flags.go_on):
        return study.table(grid, store)
    known, left = before or {}, plan(grid, store)
    table = _so_far(study, grid, so_far(grid, left), store, known)
    usual = usual_seconds(known, len(known.get("rows", ())))
    each = Costs.of(store.summaries(), grid).each(uncounted(left.todo, table), usual)
    hours = round(sum(each.values()) / 3600, 1)
    return {**table, "planned": left.cells, "hours_left": hours, "usual_seconds": usual}


def uncounted(todo: Iterable[RunSpec], before: Stored) -> tuple[RunSpec, ...]:
    """Leave out the runs that a table has a row of."""
    known = {row.get("run") for row in before.get("rows", ())}
    return tuple(cell for cell in todo if lasting_key(cell) not in known)


def _so_far(study: Study, grid: Grid, done: Grid, store: Store, before: Stored) -> Mapping[str, Any]:
    if not isinstance(study, Summable):
        return study.table(done, store)
    return study.summed(with_earlier(study.counted(done, store), before, grid))


def _cost(left: Plan, store: Store) -> str:
    if left.seconds is None:
        return "time and disk are known once one is done"
    room = store.bytes_a_run() * len(left.todo) / 2**20
    return f"about {left.seconds * len(left.todo) / 3600:.1f} hours of one worker, and {room:,.0f} MiB"


def usual_seconds(before: Stored, done: int) -> float:
    """Give what a run that was missing before was reckoned to take; kept, so that counting twice changes nothing."""
    if "usual_seconds" in before:
        return float(before["usual_seconds"])
    missing = before.get("planned", 0) - done
    return round(3600 * before["hours_left"] / missing, 1) if missing > 0 else 0.0


def tell(done: int, of: int) -> None:
    """Print how far a study is."""
    if done % 25 == 0 or done == of:
        print(f"{time.strftime('%H:%M:%S')} {done}/{of}", file=sys.stderr, flush=True)
