"""Study files with damage, and studies whose runs cannot be."""

from __future__ import annotations

from pathlib import Path
from random import Random

from tests.fuzz.basis import STUDY, Basis
from tests.fuzz.case import Case
from tests.fuzz.kinds.bytes import damaged

VALUES = (
    "-1",
    "0",
    "1.5",
    "1e999",
    "nan",
    "inf",
    "true",
    '""',
    '"x"',
    "[]",
    "[[]]",
    "{}",
    "1979-05-27",
    "9" * 5000,
    "'\\x1b'",
    '"mlp(hidden=-1)"',
    '"mlp(hidden=4)+additive"',
    '"planted:needle(n=0)"',
    '"planted:needle(n=1000000000)"',
    '"deep(layers=100000)"',
    '"../x"',
    '"\\u001b[31m"',
    '["x", "x"]',
    "[1, 2]",
    "[0, -1]",
    "[" * 200 + "]" * 200,
    "{" + "a.b" * 1 + " = 1}",
)
KEYS = (
    "name",
    "base.data",
    "base.model",
    "base.seed",
    "base.fit.epochs",
    "base.fit.batch_size",
    "axes.seed",
    "axes.model",
    "axes.data",
    "axes.zebra",
    "base.fit.zebra",
    "zebra",
    'axes."fit.epochs"',
    'axes."data.text"',
    "axes",
    "base",
    "base.fit",
    "base.limit",
    "axes.zip",
)
AXES = (
    'model = ["mlp(hidden=-1)"]',
    'model = ["mlp(hidden=4)+additive", "mlp(hidden=4)+zebra"]',
    'data = ["planted:needle(n=60,length=6)", "nothere.csv"]',
    (
        f"seed = [{', '.join(map(str, range(1000)))}]\nmodel = "
        f"[{', '.join(repr(f'mlp(hidden={i})+additive') for i in range(1, 200))}]"
    ),
    '"fit.epochs" = [0]',
    '"fit.learning_rate" = [-1.0, 0.0]',
    "seed = [1, 1]",
    "seed = [-1]",
    "seed = []",
    '"text" = ["zebra"]',
    'model = ["mlp(hidden=100000000)+additive"]',
)


def study(chance: Random, here: Path, basis: Basis) -> Case:
    """Run a study of which the file is damaged, a key odd, or the grid impossible."""
    how = chance.randrange(3)
    if how == 0:
        data = damaged(STUDY.encode(), chance)
    elif how == 1:
        lines = STUDY.partition("[base]")[0] + f"{chance.choice(KEYS)} = {chance.choice(VALUES)}\n"
        data = (
            lines + "[base]" + STUDY.partition("[base]")[2]
            if chance.random() < 0.3
            else _replaced(chance)
        ).encode()
    else:
        data = (STUDY.partition("[axes]")[0] + "[axes]\n" + chance.choice(AXES) + "\n").encode()
    (here / "s.toml").write_bytes(data)
    more = chance.choice(((), ("--dry-run",), ("--json",), ("--table", "out.md")))
    return Case(
        ("study", "s.toml", "--store", "st", "--limit", "2", "--quiet", *more), ("st", "out.md")
    )


def _replaced(chance: Random) -> str:
    """Give one of the lines of the good study another value."""
    lines = STUDY.splitlines()
    at = chance.choice([i for i, line in enumerate(lines) if "=" in line])
    lines[at] = f"{lines[at].partition('=')[0]}= {chance.choice(VALUES)}"
    return "\n".join(lines) + "\n"
