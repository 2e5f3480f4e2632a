"""Specs of data and models: known parts with odd settings, unknown parts, and broken grammar."""

from __future__ import annotations

from pathlib import Path
from random import Random

from tests.fuzz.basis import Basis
from tests.fuzz.case import Case

NUMBERS = (
    "-1",
    "0",
    "1",
    "2",
    "7",
    "0.5",
    "1e3",
    "1e999",
    "nan",
    "inf",
    "1000000000",
    "9" * 5000,
    "true",
    "None",
    "''",
    "x",
    '"x"',
    "[1]",
    "",
    "4",
    "8",
    "10",
    "0.1",
)
ENCODERS = ("mlp", "bilstm", "cnn", "transformer", "lstm", "ran", "deep", "zebra", "", "MLP")
SETTINGS = (
    "hidden",
    "layers",
    "width",
    "heads",
    "dropout",
    "embedding",
    "kernel",
    "temperature",
    "alpha",
    "zebra",
    "",
)
PARTS = (
    "additive",
    "dot",
    "random",
    "uniform",
    "frozen",
    "sparsemax",
    "entmax",
    "sparsegen(0.9)",
    "entmax(alpha=1.5)",
    "query",
    "zebra",
    "",
    "scaled(x=1)",
    "additive(hidden=0)",
    "temperature(0)",
)
PLANTED = ("needle", "vote", "negated", "detector", "pair", "reviews", "world", "zebra", "")
SIZES = (
    "n",
    "length",
    "fillers",
    "needles",
    "noise",
    "classes",
    "count",
    "strength",
    "cues",
    "positives",
    "things",
    "facts",
    "people",
    "zebra",
    "",
)
MARKS = (
    "(",
    ")",
    "+",
    ",",
    "=",
    ":",
    "((",
    "))",
    " ",
    "\n",
    "\x00",
    "é",
    "'",
    '"',
    "\\",
    "__import__('os')",
    "{}",
)


def _settings(chance: Random, names: tuple[str, ...]) -> str:
    message = ",".join(
        f"{chance.choice(names)}={chance.choice(NUMBERS)}"
        for _ in range(chance.choice((0, 0, 1, 1, 2)))
    )
    return f"({message})" if message or chance.random() < 0.1 else ""


def _scratched(text: str, chance: Random) -> str:
    """Put marks of the grammar where they do not belong, at times."""
    while chance.random() < 0.15:
        at = chance.randrange(len(text) + 1)
        text = text[:at] + chance.choice(MARKS) + text[at + chance.randrange(2) :]
    return text


def data(chance: Random, here: Path, basis: Basis) -> Case:
    """Check generated data of odd sizes."""
    spec = f"planted:{chance.choice(PLANTED)}{_settings(chance, SIZES)}"
    return Case(("check-data", "--data", _scratched(spec, chance).replace("\x00", "")))


def model(chance: Random, here: Path, basis: Basis) -> Case:
    """Audit a model of odd parts, trained for an epoch on few texts."""
    parts = chance.choices(
        PARTS[:9] if chance.random() < 0.5 else PARTS, k=chance.choice((0, 1, 1, 2, 3))
    )
    encoder = chance.choice(ENCODERS[:5] if chance.random() < 0.7 else ENCODERS)
    spec = _scratched("+".join((encoder + _settings(chance, SETTINGS), *parts)), chance).replace(
        "\x00", ""
    )
    data = chance.choice(
        ("planted:needle(n=40,length=5)", "planted:needle(n=40,length=5)", "planted:pair(n=40)")
    )
    more = ("--epochs", "1", "--limit", "3", "--controls", "none", "--quiet")
    return Case(("audit", "--data", data, "--model", spec, *more), ("report.html",))
