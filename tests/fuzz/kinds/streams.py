"""Good commands whose stdout takes nothing: it is closed, or the disk behind it is full."""

from __future__ import annotations

from pathlib import Path
from random import Random

from tests.fuzz.basis import TINY, Basis
from tests.fuzz.case import Case

COMMANDS: tuple[tuple[str, ...], ...] = (
    ("check-data", "--data", "t.csv"),
    ("list", "models"),
    ("--help",),
    ("--version",),
    ("audit", "--help"),
    ("results", "--store", "st"),
    ("results", "--store", "st", "--csv", "out.csv"),
    ("results", "--store", "st", "--sql", "FROM numbers"),
    ("report", "sa"),
    ("study", "s.toml", "--store", "st"),
    ("check-model", "m"),
    ("audit", "--data", "t.csv", *TINY, "--limit", "4"),
    ("train", "--data", "t.csv", *TINY, "--controls", "none", "--out", "out"),
)


def stream(chance: Random, here: Path, basis: Basis) -> Case:
    """Let a good command speak to nobody."""
    basis.take(here, "t.csv", "m", "sa", "st", "s.toml")
    argv = chance.choice(COMMANDS)
    if (
        argv[0] not in ("--help", "--version", "train")
        and "--help" not in argv
        and chance.random() < 0.4
    ):
        argv = (*argv, "--json")
    return Case(argv, ("report.html", "out", "out.csv", "st"), chance.choice(("full", "closed")))
