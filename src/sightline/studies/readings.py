"""What was read of the runs of papers' tables, a line a run: it outlasts the store, which is too large to be kept."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple
from pathlib import Path
from typing import Any

from sightline.errors import DataError
from sightline.files import write_bytes
from sightline.results import Estimate
from sightline.studies.artefact import Plan
from sightline.studies.lines import Found, Said

Readings = Mapping[str, Mapping[str, Said | None]]
"""By artefact and name of the reading; nothing of a run of which only what it said with others was kept."""


def read_readings(path: Path) -> Readings:
    """Read what was read before; nothing where no file is."""
    found: dict[str, dict[str, Said | None]] = {}
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    for number, line in enumerate(lines, 1):
        try:
            one = json.loads(line)
            said = one["said"] and {quantity: _found(*told) for quantity, told in one["said"].items()}
            found.setdefault(one["artefact"], {})[one["run"]] = said
        except (ValueError, KeyError, TypeError) as error:
            told = f"expected a run of a table as validation/verify.py writes it, got {line[:60]!r} ({error})"
            raise DataError(told, path, number) from None
    return found


def lines_of(name: str, plan: Plan, said: Mapping[str, Said | None]) -> Iterator[str]:
    """Write what was read of an artefact, now or before, in the order of its runs."""
    for one in plan.readings:
        if one.name in said:
            about = {"corpus": one.run.corpus, "model": one.run.model, "seed": one.run.seed, "run": one.name}
            yield json.dumps({"artefact": name, **about, "said": _told(said[one.name])}, ensure_ascii=False)


def write_readings(path: Path, lines: Sequence[str]) -> None:
    """Write the file, whole or not at all."""
    write_bytes(path, "".join(f"{line}\n" for line in lines).encode())


def _told(said: Said | None) -> Mapping[str, Any] | None:
    if said is None:
        return None
    return {
        quantity: [astuple(one.value), one.floor and astuple(one.floor), one.bounds] for quantity, one in said.items()
    }


def _found(value: Sequence[Any], floor: Sequence[Any] | None, bounds: Sequence[float] | None) -> Found:
    ends = None if bounds is None else (bounds[0], bounds[1])
    return Found(Estimate(*value), None if floor is None else Estimate(*floor), ends)
