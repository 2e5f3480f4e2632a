"""Save and load the audits of a model that was trained and audited from several seeds.

DIR/seeds.json      which seeds there are, the first one first
DIR/seed-0/         a saved audit for each
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sightline._io.atomic_write import is_free, put_back, write_whole
from sightline._io.checksums import MANIFEST, check_unchanged, seal
from sightline._io.home_folder import from_home
from sightline.audits.audit_storage import FILES as OF_AN_AUDIT
from sightline.audits.audit_storage import LABELS, files_of_labels, load_results, write_results
from sightline.config.json_reader import parse_json, read_as
from sightline.core.errors import SpecError, StoreError

if TYPE_CHECKING:
    from sightline.core.results import Results

MARK = "seeds.json"
FILES = (MARK, MANIFEST)
"""Files next to the audits; the first identifies the folder."""
SCHEMA = 1
_MEMBER = re.compile(r"seed--?[0-9]+")


@dataclass(frozen=True)
class _Mark:
    schema: int
    seeds: tuple[int, ...]


def save_several(audits: Mapping[int, Results], folder: str | Path) -> Path:
    """Write the audits of several seeds to one folder, all of them or nothing."""
    final = from_home(folder)
    if not (is_free(final) or any((final / mark).exists() for mark in (MARK, LABELS))):
        raise StoreError(
            f"{final}: exists and does not hold the audits of several seeds; name a new folder"
        )

    def write(aside: Path) -> None:
        aside.mkdir()
        for seed, found in audits.items():
            place = aside / _folder(seed)
            write_results(found, place)
            seal(place)
        (aside / MARK).write_text(
            json.dumps({"schema": SCHEMA, "seeds": list(audits)}), encoding="utf-8"
        )
        seal(aside)

    return write_whole(final, write, _own(final, audits))


def _own(folder: Path, seeds: Iterable[int]) -> set[str]:
    """Name what a new folder replaces: the audits of these seeds, and of the seeds that the old
    folder holds.
    """
    held = [one.name for one in folder.glob(_folder("*")) if _MEMBER.fullmatch(one.name)]
    return {
        *FILES,
        *files_of_labels(folder),
        *(f"{name}/{file}" for name in (*held, *map(_folder, seeds)) for file in OF_AN_AUDIT),
    }


def load_several(folder: str | Path) -> dict[int, Results]:
    """Read the audits that `save_several` wrote, by seed."""
    return {seed: load_results(from_home(folder) / _folder(seed)) for seed in seeds_in(folder)}


def members(folder: Path) -> list[Path]:
    """Name the folders of the audits in a folder: those of all seeds, or the folder itself."""
    seeds = seeds_in(folder)
    return [folder / _folder(seed) for seed in seeds] if seeds else [folder]


def seeds_in(folder: str | Path) -> tuple[int, ...]:
    """Return the seeds whose audits a folder holds; none if it is no such folder."""
    path = from_home(folder)
    put_back(path)
    if not (path / MARK).is_file():
        return ()
    check_unchanged(path, StoreError, "make the audits again")
    try:
        mark: _Mark = read_as(_Mark, parse_json((path / MARK).read_text(encoding="utf-8"), ""), "")
    except (SpecError, UnicodeDecodeError) as error:
        raise StoreError(f"{path / MARK}: {error}") from error
    if mark.schema != SCHEMA:
        raise StoreError(
            f"{path / MARK}: schema {mark.schema}, this version reads {SCHEMA}; make the "
            "audits again"
        )
    return mark.seeds


def _folder(seed: int | str) -> str:
    return f"seed-{seed}"
