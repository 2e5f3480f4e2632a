"""Large inputs: tables of a million texts, hundreds of classes, a report of a hundred thousand
texts.

Each command runs in a process of its own on one thread; the system reports its time and memory when
it has ended. Words are drawn by a power law, labels by chance, so nothing here depends on what a
model makes of them.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from checkout import ROOT
from gates import every, under

sys.path.insert(0, str(ROOT))

from tests.report import audits

TEXTS, PAGE, LONG = 1_000_000, 100_000, 20_000
WORDS = 1155
"""Words of a long text; an audit cuts them at 512."""
TIMES, BARE = 4, 320 * 10**6
"""The memory of a table of long texts, as a multiple of its bytes, above an idle process with
torch."""
CLASSES = (100, 200, 400)
EACH = 8
"""Texts of a class."""
GIGABYTE, MINUTE = 10**9, 60
A_CLASS = 10**6
"""Bytes that one more class may take; with a matrix for every text and resample it was 9
million."""
VOCABULARY = [
    f"{a}{b}{c}"
    for a in "bdfgklmn"
    for b in ("a", "ei", "o", "u")
    for c in ("", *"rstvwz", "nder", "lling")
]


@dataclass(frozen=True)
class Taken:
    """The largest memory and the processor time of a command, and their limits."""

    what: str
    bytes: int
    seconds: float
    most_bytes: int = GIGABYTE
    most_seconds: int = 10 * MINUTE


def large(
    texts: int = TEXTS, page: int = PAGE, classes: Sequence[int] = CLASSES, long: int = LONG
) -> dict[str, Any]:
    """Run each command on large inputs, and compare its cost with its limit."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        many = [_of_classes(folder, count) for count in classes]
        found = [
            *_of_a_table(folder, texts),
            *_of_long_texts(folder, long),
            _of_a_page(folder, page),
            *many,
        ]
    more = (many[-1].bytes - many[0].bytes) // (classes[-1] - classes[0])
    return {
        "rows": [row(one) for one in found],
        "gates": [
            every(
                "large: within the memory each may take",
                [one.bytes < one.most_bytes for one in found],
            ),
            every(
                "large: within the time each may take",
                [one.seconds < one.most_seconds for one in found],
            ),
            under(
                f"large: bytes for a class more, from {classes[0]} to {classes[-1]}", more, A_CLASS
            ),
        ],
    }


def row(one: Taken) -> dict[str, Any]:
    """Write the cost of a command, and its limit."""
    return {
        "what": one.what,
        "mib": one.bytes >> 20,
        "most_mib": one.most_bytes >> 20,
        "seconds": round(one.seconds),
        "most_seconds": one.most_seconds,
    }


def _of_a_table(folder: Path, texts: int) -> Iterator[Taken]:
    write_table(folder / "all.csv", texts, 2, seed=0)
    write_table(folder / "others.csv", 2000, 2, seed=1)
    run(
        folder,
        "train",
        "--data",
        "others.csv",
        "--model",
        "mlp",
        "--epochs",
        "1",
        "--quiet",
        "--out",
        "model",
    )
    yield Taken(f"check-data of {texts:,} texts", *run(folder, "check-data", "--data", "all.csv"))
    audit = (
        "audit",
        "--data",
        "all.csv",
        "--model",
        "model",
        "--limit",
        "300",
        "--full",
        "--quiet",
        "--out",
        "audit.html",
    )
    yield Taken(
        f"audit of 300 of {texts:,} texts, of a saved model", *run(folder, *audit), 2 * GIGABYTE
    )


def _of_long_texts(folder: Path, texts: int) -> Iterator[Taken]:
    drawn, path = random.Random(3), folder / "long.csv"
    with path.open("w", encoding="utf-8") as file:
        file.write("text,label\n")
        for number in range(texts):
            words = " ".join(f"w{int(30_000 * drawn.random() ** 3)}" for _ in range(WORDS))
            file.write(f"{words} n{number},c{number % 2}\n")
    most, what = BARE + TIMES * path.stat().st_size, f"{texts:,} texts of {WORDS:,} words"
    yield Taken(f"check-data of {what}", *run(folder, "check-data", "--data", "long.csv"), most)
    model = ("--model", "mlp(hidden=8)", "--epochs", "1", "--controls", "none")
    audit = (
        "audit",
        "--data",
        "long.csv",
        *model,
        "--limit",
        "300",
        "--full",
        "--quiet",
        "--out",
        "long.html",
    )
    yield Taken(f"training, and audit of 300 of {what}", *run(folder, *audit), most, 60 * MINUTE)


def _of_a_page(folder: Path, texts: int) -> Taken:
    drawn = random.Random(2)
    records = tuple(audits.record(sentence(drawn), number) for number in range(texts))
    audits.explored(records).save(folder / "saved")
    took = run(folder, "report", "saved", "--out", "page.html")
    return Taken(f"page of {texts:,} texts, drawn from a saved audit", *took, GIGABYTE // 2)


def _of_classes(folder: Path, classes: int) -> Taken:
    write_table(folder / "classes.csv", EACH * classes, classes, seed=classes)
    audit = (
        "audit",
        "--data",
        "classes.csv",
        "--model",
        "mlp",
        "--epochs",
        "1",
        "--quiet",
        "--out",
        "classes.html",
    )
    return Taken(f"training and audit, {classes} classes of {EACH} texts", *run(folder, *audit))


def write_table(path: Path, texts: int, classes: int, seed: int) -> None:
    """Write a table of so many texts, in classes of equal size."""
    drawn = random.Random(seed)
    with path.open("w", encoding="utf-8") as file:
        file.write("text,label\n")
        for number in range(texts):
            file.write(f"{sentence(drawn)} {seed}n{number},c{number % classes}\n")


def sentence(drawn: random.Random) -> str:
    """Draw 6 to 20 words, those at the head of the vocabulary more often."""
    return " ".join(
        VOCABULARY[int(len(VOCABULARY) * drawn.random() ** 3)] for _ in range(drawn.randint(6, 20))
    )


def run(folder: Path, *words: str) -> tuple[int, float]:
    """Run a command to its end, which must be a good one; return its memory in bytes and its
    processor seconds.
    """
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "sightline", *words]
    started = subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(started.pid, 0)
    if code := os.waitstatus_to_exitcode(status):
        raise RuntimeError(f"{' '.join(words)} ended with {code}")
    return used.ru_maxrss * 1024, used.ru_utime + used.ru_stime
