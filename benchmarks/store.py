"""A store of 10,000 small runs: list it, find what is still to do, make its table, ask it; each
within 5 seconds.

Timed are the four operations, and the commands a user types for them, from their start to their
last line.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path

import numpy as np
from compare import print_line, quick

from sightline._io import checksums
from sightline._io.atomic_write import plain
from sightline.config.run_keys import run_key
from sightline.config.specs import RunSpec
from sightline.experiments.grid import read_grid
from sightline.experiments.pipeline import run
from sightline.experiments.sql.duckdb_query import ask
from sightline.experiments.store import INDEX, SUMMARY, Store
from sightline.experiments.tabulate import tabulate

ALLOWED = 5.0
GROUPS = (
    "SELECT quantity, count(*) AS runs, avg(value) AS mean FROM numbers GROUP BY quantity ORDER "
    "BY quantity"
)
JOINED = (
    "SELECT verdict, quantity, avg(value) AS mean FROM numbers JOIN runs ON key = run "
    "WHERE quantity IN ('accuracy', 'SL-101') GROUP BY ALL ORDER BY ALL"
)
WHOLE = (
    "SELECT count(*) AS numbers, count(DISTINCT run) AS runs FROM texts WHERE quantity = "
    "'agreement.tau.gradient'"
)
STUDY = """
name = "bench"
[base]
data = "planted:needle(n=120,length=6)"
model = "mlp(hidden=4)"
limit = 10
[base.fit]
epochs = 1
[axes]
seed = {seeds}
"""


def main() -> None:
    """Fill a store with copies of one run under other seeds, and time the three commands that read
    it.
    """
    count = 500 if quick() else 10_000
    with tempfile.TemporaryDirectory() as folder:
        file, root = Path(folder) / "study.toml", Path(folder) / "store"
        file.write_text(STUDY.format(seeds=list(range(count))))
        fill(read_grid(file).specs, root)
        store, keys = Store(root), read_grid(file).keys
        describe(f"list a store of {count} runs", lambda: len(list(store.summaries())) == count)
        describe(
            f"resume a study of {count} runs",
            lambda: len(store.find(read_grid(file).keys)) == count,
        )
        describe(
            f"tabulate {count} runs",
            lambda: len(tabulate(read_grid(file), store.find(keys)).rows) == 1,
        )
        describe(
            f"ask {count} runs for the mean of each number",
            lambda: every(store, GROUPS, "runs", count),
        )
        describe(
            f"resume a study of {count} runs without an index",
            lambda: without_index(root, keys) == count,
            15.0,
        )
        study = ("study", str(file), "--store", str(root))
        describe("sightline results", typed(("results", "--store", str(root)), f"{count:,} runs"))
        describe(
            "sightline study --dry-run",
            typed((*study, "--dry-run"), f"{count:,} runs, {count:,} done"),
        )
        describe("sightline study, with nothing left to run", typed(study, "verdict"))
        describe(
            "sightline results --sql, of main numbers",
            typed(("results", "--store", str(root), "--sql", GROUPS), "SL-101"),
        )
        describe(
            "sightline results --sql, of two tables",
            typed(("results", "--store", str(root), "--sql", JOINED), "2 rows"),
        )
        whole(read_grid(file).specs[:100], Path(folder) / "few")


def every(store: Store, query: str, column: str, expected: int) -> bool:
    """Ask a store, and tell whether the most that a column counts is what there is."""
    return max(row[column] for row in ask(store, query).records()) == expected


def whole(specs: Sequence[RunSpec], root: Path) -> None:
    """Ask for the numbers of texts, for which every audit is read whole: no promise, only said, and
    once.
    """
    fill(specs, root)
    began = time.perf_counter()
    holds = every(Store(root), WHOLE, "runs", len(specs))
    seconds = round(time.perf_counter() - began, 2)
    name = f"ask {len(specs)} runs for a number of every text"
    print_line(name, "none promised", [1.0], holds, "every audit read", seconds=seconds)


def fill(specs: Sequence[RunSpec], root: Path) -> None:
    """Write the same audit under the keys of runs: one as a run is kept, the others as copies of
    its files.
    """
    checksums._flush = lambda path: None  # filling is not what is timed
    store, first = Store(root), run_key(specs[0])
    store.write_run(specs[0], run(specs[0])[1], 1.0)
    kept = store.summary(first)
    for spec in specs[1:]:
        summary = json.dumps(plain(asdict(replace(kept, key=run_key(spec), seed=spec.seed))))
        checksums.write_sealed(
            store.run_folder(run_key(spec)), partial(copied, store.run_folder(first), summary)
        )
    store.find(map(run_key, specs))


def copied(first: Path, summary: str, folder: Path) -> None:
    """Copy what a run consists of but for its summary and its seal."""
    shutil.copytree(first, folder, ignore=shutil.ignore_patterns(SUMMARY, checksums.MANIFEST))
    (folder / SUMMARY).write_text(summary, encoding="utf-8")


def without_index(root: Path, keys: Sequence[str]) -> int:
    """Find the runs of a store by reading every byte, as after its index was deleted."""
    (root / INDEX).unlink()
    return len(Store(root).find(keys))


def typed(arguments: Sequence[str], expected: str) -> Callable[[], bool]:
    """Make a command something to time, with what it must print."""

    def run() -> bool:
        command = [sys.executable, "-m", "sightline", *arguments]
        return (
            expected in subprocess.run(command, capture_output=True, text=True, check=True).stdout
        )

    return run


def describe(name: str, do: Callable[[], bool], allowed: float = ALLOWED) -> None:
    """Time three rounds and print one JSON line."""
    seconds, busy, holds = [], [], True
    for _ in range(3):
        began, before = time.perf_counter(), processor()
        holds &= do()
        seconds.append(time.perf_counter() - began)
        busy.append(processor() - before)
    ratios = [allowed / one for one in seconds]
    holds = holds and max(seconds) < allowed
    medians = {
        "seconds": round(float(np.median(seconds)), 2),
        "processor": round(float(np.median(busy)), 2),
    }
    print_line(
        name, f"{allowed:g} seconds", ratios, holds, "every run found, in less time", **medians
    )


def processor() -> float:
    """Count the seconds of processors that this process and its children took: others may have the
    machine, too.
    """
    return sum(os.times()[:4])


if __name__ == "__main__":
    main()
