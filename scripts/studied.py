"""How a script does a study: flags for its store, what is left of it, and its table."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sightline.experiments.executors.processes import Processes
from sightline.experiments.grid import Grid
from sightline.experiments.store import Store
from sightline.studies.study import Plan, Study, complete, plan, so_far

ROOT = Path(__file__).parent.parent
VECTORS = ROOT / "runs" / "film-reviews.vectors.txt"
"""Made from training texts, once, by the study that starts models from them."""


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Let the command say where runs are kept, and how they are made."""
    store = ROOT / "runs" / "verified"
    parser.add_argument("--store", type=Path, default=store, help="where runs are kept; a killed study resumes")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seeds", type=int, help="take only the first few seeds, print the result, and write nothing")
    parser.add_argument("--so-far", action="store_true", help="run nothing: table what is done, and say what is not")
    parser.add_argument("--dry-run", action="store_true", help="say what is left to run, and run nothing")


def studied(study: Study, grid: Grid, flags: argparse.Namespace) -> Mapping[str, Any] | None:
    """Run what is left of a study and give its table; nothing where it was only asked what that is.

    A table of what is done so far says how many runs are planned, and what the rest would take of one worker.
    """
    store = Store(flags.store, make=not (flags.dry_run or flags.so_far))
    left = plan(grid, store)
    print(f"{grid.name}: {left.cells} runs, {len(left.todo)} to run ({_cost(left, store)})", file=sys.stderr)
    if flags.dry_run or (flags.so_far and len(left.todo) == left.cells):
        return None
    if flags.so_far:
        return {**study.table(so_far(grid, left), store), "planned": left.cells, "hours_left": _hours(left)}
    complete(left.todo, store, Processes(flags.workers), tell)
    return study.table(grid, store)


def _cost(left: Plan, store: Store) -> str:
    if left.seconds is None:
        return "time and disk are known once one is done"
    room = store.bytes_a_run() * len(left.todo) / 2**20
    return f"about {_hours(left):.1f} hours of one worker, and {room:,.0f} MiB"


def _hours(left: Plan) -> float:
    return round((left.seconds or 0.0) * len(left.todo) / 3600, 1)


def tell(done: int, of: int) -> None:
    """Print how far a study is."""
    if done % 25 == 0 or done == of:
        print(f"{time.strftime('%H:%M:%S')} {done}/{of}", file=sys.stderr, flush=True)
