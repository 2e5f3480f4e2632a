"""A store of 10,000 small runs: list it, find what is still to do, make its table; each within 5 seconds."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from compare import quick

from sightline.experiments import seal
from sightline.experiments.grid import Grid
from sightline.experiments.run import run
from sightline.experiments.store import Store
from sightline.experiments.tabulate import tabulate
from sightline.spec import FitSpec, RunSpec, parse_data, parse_model

ALLOWED = 5.0


def main() -> None:
    """Fill a store with copies of one run under other seeds, and time what a user waits for."""
    count = 500 if quick() else 10_000
    spec = RunSpec(
        parse_data("planted:needle(n=120,length=6)"), parse_model("mlp(hidden=4)"), FitSpec(epochs=1), limit=10
    )
    cells = tuple(replace(spec, seed=seed) for seed in range(count))
    grid = Grid("bench", cells, ("seed",), tuple((str(cell.seed),) for cell in cells))
    audit = run(spec)[1]
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder) / "store")
        seal._flush = lambda path: None  # filling it is not what is timed
        for cell in cells:
            store.write_run(cell, audit, 1.0)
        found = store.find(grid.keys)
        told("list", count, lambda: len(list(store.summaries())) == count)
        told("resume", count, lambda: len(store.find(grid.keys)) == count)
        told("tabulate", count, lambda: len(tabulate(grid, found).rows) == 1)


def told(name: str, count: int, do: Callable[[], bool]) -> None:
    """Time three rounds and print one JSON line."""
    seconds, holds = [], True
    for _ in range(3):
        began = time.perf_counter()
        holds &= do()
        seconds.append(time.perf_counter() - began)
    ratios = ALLOWED / np.array(seconds)
    line: dict[str, Any] = {
        "name": f"{name} a store of {count} runs",
        "against": f"{ALLOWED:g} seconds",
        "ratio": round(float(np.median(ratios)), 2),
        "low": round(float(ratios.min()), 2),
        "high": round(float(ratios.max()), 2),
        "n": len(seconds),
        "holds": bool(holds and max(seconds) < ALLOWED),
        "relation": "every run found, in less time",
        "threads": torch.get_num_threads(),
        "seconds": round(float(np.median(seconds)), 2),
    }
    print(json.dumps(line))


if __name__ == "__main__":
    main()
