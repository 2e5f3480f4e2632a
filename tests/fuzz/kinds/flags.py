"""Flags that a command has and has not, with values of every kind."""

from __future__ import annotations

from pathlib import Path
from random import Random

from tests.fuzz.basis import TINY, Basis
from tests.fuzz.case import Case

VALUES = (
    "-1",
    "0",
    "1",
    "3",
    "1.5",
    "1e999",
    "nan",
    "inf",
    "9" * 5000,
    "",
    " ",
    "x",
    "true",
    "\x1b[31m",
    "1M",
    "0M",
    "-5G",
    "1e3",
    "cuda:99",
    "cpu",
    "cuda",
    "text",
    "label",
    "zebra",
    "all",
    "test",
    "SL-999",
    "attention",
    "paper",
    "clean",
    "uniform,frozen",
    "none",
    "é",
    "None",
)
FLAGS = (
    "--text",
    "--label",
    "--split",
    "--rationale",
    "--query",
    "--recipe",
    "--max-tokens",
    "--min-count",
    "--preset",
    "--epochs",
    "--batch-size",
    "--learning-rate",
    "--controls",
    "--seed",
    "--device",
    "--threads",
    "--dry-run",
    "--limit",
    "--memory",
    "--fail-on",
    "--json",
    "--quiet",
    "--verbose",
    "--no-texts",
    "--help",
    "--version",
    "--zebra",
    "--measures",
    "--samples",
    "--maps",
    "--workers",
    "--check",
    "--retry-failed",
    "--debug",
)


GOOD = (
    ("--max-tokens", "4"),
    ("--seed", "7"),
    ("--batch-size", "1"),
    ("--epochs", "2"),
    ("--limit", "1"),
    ("--memory", "1M"),
    ("--threads", "1"),
    ("--json",),
    ("--no-texts",),
    ("--min-count", "2"),
    ("--learning-rate", "0.1"),
    ("--controls", "none"),
    ("--gradient", "norm"),
    ("--verbose",),
    ("--dry-run",),
    ("--workers", "1"),
    ("--device", "cpu"),
    ("--split", "zebra"),
    ("--check",),
    ("--recipe", "clean"),
    ("--help",),
)
"""Flags as somebody would give them, though not to each of the commands."""


def flag(chance: Random, here: Path, basis: Basis) -> Case:
    """Give a good command one to three more flags, known to it or not."""
    basis.take(here, "t.csv", "m", "sa", "st", "s.toml")
    commands: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
        (("audit", "--data", "t.csv", "--model", "m", "--limit", "4", "--quiet"), ("report.html",)),
        (("audit", "--data", "t.csv", *TINY, "--limit", "4"), ("report.html",)),
        (("train", "--data", "t.csv", *TINY, "--controls", "none", "--out", "out"), ("out",)),
        (("check-data", "--data", "t.csv"), ()),
        (("check-model", "m"), ()),
        (("report", "sa"), ("report.html",)),
        (("study", "s.toml", "--store", "st", "--quiet"), ("st",)),
        (("results", "--store", "st"), ()),
        (("list", "models"), ()),
        (("vectors", "--data", "t.csv", "--dimension", "3", "--out", "v.txt"), ("v.txt",)),
    )
    (argv, writes), more = chance.choice(commands), []
    if chance.random() < 0.5:
        return Case(
            (*argv, *(word for one in chance.sample(GOOD, chance.choice((1, 2))) for word in one)),
            writes,
        )
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        name, value = chance.choice(FLAGS), chance.choice(VALUES)
        more += chance.choice(([name, value], [f"{name}={value}"], [name], [name], [value]))
    return Case((*argv, *more), writes)
