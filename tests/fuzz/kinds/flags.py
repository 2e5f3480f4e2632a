"""Flags that a command has and has not, with values of every kind."""

from __future__ import annotations

from pathlib import Path
from random import Random

from tests.fuzz.basis import TINY, Basis
from tests.fuzz.case import Case

VALUES = (
    "-1", "0", "1", "3", "1.5", "1e999", "nan", "inf", "9" * 5000, "", " ", "x", "true", "\x1b[31m", "1M", "0M", "-5G", "1e3", "cuda:99", "cpu", "cuda",
    "text", "label", "zebra", "all", "test", "must-not-be-shown", "SL-301", "SL-999", "attention", "paper", "clean", "uniform,frozen", "none", "é", "None",
)  # fmt: skip
FLAGS = (
    "--text", "--label", "--split", "--rationale", "--query", "--recipe", "--max-tokens", "--min-count", "--preset", "--epochs", "--batch-size",
    "--learning-rate", "--companions", "--seed", "--device", "--threads", "--dry-run", "--limit", "--memory", "--fail-on", "--json", "--quiet", "--verbose",
    "--no-texts", "--help", "--version", "--zebra", "--measures", "--samples", "--maps", "--workers", "--check", "--retry-failed", "--debug",
)  # fmt: skip


def flag(chance: Random, here: Path, basis: Basis) -> Case:
    """Give a good command one to three more flags, known to it or not."""
    basis.take(here, "t.csv", "m", "sa", "st", "s.toml")
    commands: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
        (("audit", "--data", "t.csv", "--model", "m", "--limit", "4", "--quiet"), ("report.html",)),
        (("audit", "--data", "t.csv", *TINY, "--limit", "4"), ("report.html",)),
        (("train", "--data", "t.csv", *TINY, "--companions", "none", "--out", "out"), ("out",)),
        (("check-data", "--data", "t.csv"), ()),
        (("check-model", "m"), ()),
        (("report", "sa"), ("report.html",)),
        (("study", "s.toml", "--store", "st", "--quiet"), ("st",)),
        (("results", "--store", "st"), ()),
        (("list", "models"), ()),
        (("vectors", "--data", "t.csv", "--dimension", "3", "--out", "v.txt"), ("v.txt",)),
    )
    (argv, writes), more = chance.choice(commands), []
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        name, value = chance.choice(FLAGS), chance.choice(VALUES)
        more += chance.choice(([name, value], [f"{name}={value}"], [name], [name], [value]))
    return Case((*argv, *more), writes)
