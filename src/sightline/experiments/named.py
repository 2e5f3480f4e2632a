"""Audits by what they are called: a folder that was saved, or a run of a store."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from sightline.errors import StoreError
from sightline.experiments.several import members
from sightline.experiments.store import MARK, Store
from sightline.results import Results
from sightline.saving import load_results


@dataclass(frozen=True)
class Named:
    """One audit: what it is called, and the folder that it lies in."""

    name: str
    folder: Path

    def __str__(self) -> str:
        return self.name

    def read(self) -> Results:
        """Read it, checking every byte."""
        return load_results(self.folder)


def named_audits(names: Sequence[str], store: Path | None = None) -> list[Named]:
    """Find the audits that are named: folders, runs as ``STORE:KEY``, or keys where a store is given.

    A folder with the audits of several seeds stands for all of these.
    """
    return [one for name in names for one in (_of_store(store, name) if store is not None else _named(name))]


def _named(name: str) -> Iterator[Named]:
    folder, _, key = name.rpartition(":")
    if not Path(name).exists() and folder and (Path(folder) / MARK).is_file():
        yield from _of_store(Path(folder), key)
    else:
        yield from (Named(str(place), place) for place in members(Path(name)))


def _of_store(folder: Path, key: str) -> Iterator[Named]:
    """Find the run of a store whose key begins so."""
    if not (folder / MARK).is_file():
        raise StoreError(f"--store {folder}: expected a folder that `sightline study` wrote")
    kept = Store(folder)
    keys = kept.keys()
    found = [one for one in keys if key and one.startswith(key)]
    if len(found) != 1:
        count = f"{len(found)} runs" if found else "no run"
        told = f"{folder}: {count} with a key that begins with {key!r}; expected one"
        raise StoreError(f"{told} (`sightline results --store {folder}` lists them)")
    if (summary := kept.summary(found[0])) is None:
        raise StoreError(
            f"{kept.run_folder(found[0])}: torn or changed; `sightline results --check` finds all such runs"
        )
    if summary.state != "done":
        raise StoreError(f"{folder}: the run {found[0]} has no audit, because it failed: {summary.error}")
    yield Named(f"{folder}:{found[0]}", kept.run_folder(found[0]))
