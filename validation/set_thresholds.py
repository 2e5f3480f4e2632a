"""Set the threshold and the minimum sample size of every test, on planted corpora alone.

    python validation/set_thresholds.py

The rule and the scenarios (`sightline.studies.calibration.threshold_calibration`) were fixed before
their numbers were seen. The threshold is a quarter of the median score over scenarios in which the
claim is true by construction (seeds 1000–1009, which the calibration does not use), where 0 is
chance and 1 the best achievable, rounded to two digits and at least 0.01. The scenarios are an MLP
on votes, on a needle and on four classes, where the state of a word holds that word alone, and a
BiLSTM that is trained to attend to the evidence. The BiLSTM sets no threshold for claims that it
need not fulfil, because its other states carry the evidence too.

The minimum sample size of a test is the smallest of 50, 100 and 200 with which no more than 5 % of
the MLP's runs fail what passes on all their texts. A verdict needs the texts of its deciding
tests.

The runs are kept in ``--store``, so a killed command resumes; ``--dry-run`` says what is left, and
``--seeds N`` takes only the first few seeds and writes nothing.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from checkout import ROOT

from sightline.experiments.executors.local import Processes
from sightline.experiments.store import Store
from sightline.studies.calibration import threshold_calibration
from sightline.studies.run_counts import table
from sightline.studies.study_definition import Params, finished_runs

TARGET = ROOT / "src" / "sightline" / "verdict" / "thresholds.json"


def main() -> None:
    """Run the study and write the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--store", type=Path, default=ROOT / "runs" / "verified", help="where runs are kept"
    )
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument(
        "--seeds",
        type=int,
        help="take only the first few seeds, print the result, and write nothing",
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="say what is left to run, and run nothing"
    )
    flags = parser.parse_args()
    grid = threshold_calibration.STUDY.grid(Params(seeds=flags.seeds))
    store = Store(flags.store, make=not flags.dry_run)
    done = set(finished_runs(grid, store).keys)
    left = [spec for spec, key in zip(grid.specs, grid.keys, strict=True) if key not in done]
    print(f"{grid.name}: {len(grid.specs)} runs, {len(left)} to run", file=sys.stderr)
    if flags.dry_run:
        return
    ended = Processes(flags.workers).run(left, store, again=True)
    if undone := sum(one.ending in ("failed", "missing") for one in ended):
        raise SystemExit(f"{undone} of {len(left)} runs are not done: see `sightline results`")
    description = json.dumps(table(threshold_calibration.STUDY, grid, store), indent=2)
    print(description)
    if flags.seeds is None:
        TARGET.write_text(description + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
