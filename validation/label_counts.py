"""What an audit of a model with many labels takes: generated notes with 50 codes, from the first
command to the last.

    python validation/label_counts.py FOLDER               # writes notes.csv and runs everything
    python validation/label_counts.py FOLDER --only-notes  # writes notes.csv alone
"""

from __future__ import annotations

import csv
import json
import os
import resource
import subprocess
import sys
import time
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

CODES, CUES, FILLERS = 50, 3, 400
SPLITS = {"train": 750, "validation": 150, "test": 600}
COMMON, FALL = 0.4, 0.4
"""The share of notes with the most common code, and how fast shares fall with the rank of a code;
the mean is 7 codes a note, and the rarest code has about 50 test notes."""
WORDS = (30, 60)
"""The smallest and the largest number of meaningless words of a note."""


def names(codes: int = CODES) -> list[str]:
    """Name the codes, the most common first."""
    return [f"code{number:02d}" for number in range(1, codes + 1)]


def write_notes(path: Path, codes: int = CODES, seed: int = 0) -> None:
    """Write notes with cue words of their own codes among meaningless words."""
    draw = np.random.default_rng(seed)
    shares = COMMON * np.arange(1, codes + 1) ** -FALL
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(["text", "codes", "split"])
        for split in (name for name, count in SPLITS.items() for _ in range(count)):
            own = [
                name
                for name, share in zip(names(codes), shares, strict=True)
                if draw.random() < share
            ]
            words = [f"word{n}" for n in draw.integers(FILLERS, size=draw.integers(*WORDS))]
            for name in own:
                words.insert(int(draw.integers(len(words) + 1)), f"{name}cue{draw.integers(CUES)}")
            table.writerow([" ".join(words), ";".join(own), split])


def run(folder: Path, *command: str) -> dict[str, Any]:
    """Run a command of sightline with one thread; return its seconds and its output."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "sightline", *command],
        cwd=folder,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {
        "command": " ".join(command),
        "exit": done.returncode,
        "wall_seconds": round(wall, 1),
        "cpu_seconds": round(spent, 1),
        "out": done.stdout.splitlines(),
        "err": done.stderr.splitlines(),
    }


def commands(labels: Sequence[int]) -> list[list[str]]:
    """Give the commands of a new user, with an audit for each number of labels."""
    data = ["--data", "notes.csv", "--label", "codes"]
    audits = []
    for count in labels:
        some = [part for name in names()[:count] for part in ("--label-name", name)]
        chosen = some if count < CODES else []
        most = ["--max-texts", str(SPLITS["test"]), "--out", f"{count}.html"]
        audits.append(["audit", "--model", "coder", *data, *chosen, *most])
    return [
        ["check-data", *data, "--labels-sep", ";"],
        ["train", *data, "--model", "cnn+labelwise", "--out", "coder"],
        *audits,
        ["predict", "coder", "notes.csv", "--out", "predicted.csv"],
        ["look", "coder", "word1 code01cue0 word2", "--label-name", "code01"],
    ]


def main() -> None:
    """Write notes, run the commands, and print the cost of each as JSON."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only-notes", action="store_true")
    parser.add_argument("--labels", type=int, nargs="+", default=[2, 10, CODES])
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    write_notes(asked.folder / "notes.csv")
    if not asked.only_notes:
        for command in commands(asked.labels):
            print(json.dumps(run(asked.folder, *command), indent=1), flush=True)


if __name__ == "__main__":
    main()
