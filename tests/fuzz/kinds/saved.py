"""Saved models, audits and stores that were edited: sealed again half of the time, so that the edit
reaches the reader.
"""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

from sightline._io.checksums import MANIFEST, seal
from tests.edits import changed, edits
from tests.fuzz.basis import Basis
from tests.fuzz.case import Case
from tests.fuzz.kinds.bytes import damaged


def saved(chance: Random, here: Path, basis: Basis) -> Case:
    """Edit one file of what was saved, and read it."""
    what = chance.choice(("m", "sa", "st"))
    basis.take(here, what, "t.csv", "s.toml")
    files = sorted(
        path for path in (here / what).rglob("*") if path.is_file() and path.name != "index.sqlite"
    )
    file = chance.choice(files)
    _edit(file, chance)
    if chance.random() < 0.6 and (file.parent / MANIFEST).exists() and file.name != MANIFEST:
        seal(file.parent)
    if what == "m":
        read = chance.choice(
            (
                ("audit", "--data", "t.csv", "--model", "m", "--limit", "4", "--quiet"),
                ("check-model", "m"),
            )
        )
        return Case(read, ("report.html",))
    if what == "sa":
        return Case(
            ("report", "sa", *chance.choice(((), ("--json",), ("--no-texts",)))), ("report.html",)
        )
    reads: tuple[tuple[str, ...], ...] = (
        ("results", "--store", "st"),
        ("results", "--store", "st", "--check"),
        ("results", "--store", "st", "--csv", "out.csv"),
        ("study", "s.toml", "--store", "st", "--quiet"),
        ("report", str(next((here / "st" / "runs").glob("*/*"), here)), "--out", "out.html"),
    )
    return Case(chance.choice(reads), ("out.csv", "out.html", "st"))


def _edit(file: Path, chance: Random) -> None:
    data = file.read_bytes()
    if file.suffix == ".json" and chance.random() < 0.7:
        whole = json.loads(data)
        _, path, change = chance.choice(list(edits(whole)))
        file.write_text(json.dumps(changed(whole, path, change)), encoding="utf-8")
    elif chance.random() < 0.15:
        file.unlink()
    else:
        file.write_bytes(damaged(data, chance))
