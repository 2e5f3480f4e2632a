"""Tables, tables of scores and word vectors with damage, and rows as nobody would make them on
purpose.
"""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from random import Random

from tests.fuzz.basis import TINY, Basis
from tests.fuzz.case import Case
from tests.fuzz.kinds.bytes import damaged
from tests.troubles.tables import rows

CELLS = (
    "",
    " ",
    "\n",
    "a",
    "a " * 2000,
    "\x00",
    "=cmd|' /C calc'!A0",
    "<script>x</script>",
    "\ud83d",
    "0",
    "1.0",
    "nan",
    "é́",
    "\x1b]0;x\x07",
)
VALUES = (None, True, 0, -1, 1.5, 10**30, [], {}, "", "a b", ["a"], {"a": 1}, "\u0000", "\ud800")
HEADERS = (
    ("text", "label"),
    ("label", "text"),
    ("text", "text"),
    ("", ""),
    ("text",),
    ("TEXT", " label "),
    ("text", "label", "split"),
)


def table(chance: Random, here: Path, basis: Basis) -> Case:
    """Check, or audit, a table that is damaged or odd."""
    name = chance.choice(("t.csv", "t.tsv", "t.jsonl"))
    good = (basis.folder / name).read_bytes()
    (here / name).write_bytes(
        damaged(good, chance) if chance.random() < 0.5 else _odd(name, chance)
    )
    if chance.random() < 0.85:
        return Case(
            ("check-data", "--data", name, *chance.choice(((), ("--json",), ("--max-tokens", "3"))))
        )
    return Case(
        ("audit", "--data", name, *TINY, "--limit", "4", "--save", "sa"), ("report.html", "sa")
    )


def _odd(name: str, chance: Random) -> bytes:
    """Write some rows of which a few have odd cells, under a header that may be odd as well."""
    good = [list(row) for row in rows(n=chance.choice((0, 1, 2, 3, 8, 40)))]
    if name == "t.jsonl":
        made = [dict(zip(("text", "label"), row, strict=True)) for row in good]
        for row in chance.sample(made, min(3, len(made))):
            row[chance.choice(("text", "label", "more"))] = chance.choice(VALUES)  # type: ignore[assignment]
        return "".join(json.dumps(row) + "\n" for row in made).encode()
    for row in chance.sample(good, min(3, len(good))):
        row[chance.randrange(2)] = chance.choice(CELLS)
        row.extend(chance.choices(CELLS, k=chance.choice((0, 0, 1, 50))))
    out = io.StringIO(newline="")
    csv.writer(out, delimiter="\t" if name == "t.tsv" else ",").writerows(
        [chance.choice(HEADERS), *good]
    )
    return out.getvalue().encode("utf-8", "surrogatepass")


def scores(chance: Random, here: Path, basis: Basis) -> Case:
    """Audit with given scores of which the file is damaged, or speaks of other texts."""
    basis.take(here, "t.csv", "m")
    name = chance.choice(("scores.csv", "scores.jsonl"))
    scored = [
        (f"t.csv:{i + 2}", word, chance.random())
        for i, (text, _) in enumerate(rows())
        for word in text.split()
    ]
    if name == "scores.csv":
        data = "".join(
            ("id,word,score\n", *(f"{id_},{word},{score:.3f}\n" for id_, word, score in scored))
        ).encode()
    else:
        made = [{"id": id_, "word": word, "score": score} for id_, word, score in scored]
        for row in chance.sample(made, chance.choice((0, 1))):
            row[chance.choice(("id", "word", "score", "position"))] = chance.choice(VALUES)  # type: ignore[assignment]
        data = "".join(json.dumps(row) + "\n" for row in made).encode()
    (here / name).write_bytes(damaged(data, chance) if chance.random() < 0.7 else data)
    argv = ("audit", "--data", "t.csv", "--model", "m", "--scores", name, "--limit", "4", "--quiet")
    return Case(argv, ("report.html",))


def vectors(chance: Random, here: Path, basis: Basis) -> Case:
    """Train from word vectors of which the file is damaged, or make some with odd sizes."""
    basis.take(here, "t.csv")
    if chance.random() < 0.3:
        odd = ("-1", "0", "1", "3", "10000000000", "nan", "")
        flags = (chance.choice(("--window", "--dimension", "--min-count")), chance.choice(odd))
        return Case(("vectors", "--data", "t.csv", "--out", "out.txt", *flags), ("out.txt",))
    (here / "v.txt").write_bytes(damaged((basis.folder / "v.txt").read_bytes(), chance))
    argv = (
        "train",
        "--data",
        "t.csv",
        "--vectors",
        "v.txt",
        *TINY,
        "--controls",
        "none",
        "--out",
        "out",
    )
    return Case(argv, ("out",))
