"""Runs and trainings as bytes, for a machine that does not see the store: what a run needs there,
and what it made.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from sightline._io.checksums import is_whole, write_copy
from sightline.config.run_keys import run_key, training_key
from sightline.config.specs import RunSpec
from sightline.core.errors import StoreError
from sightline.experiments.store import Store
from sightline.training.control_models import trainings_of

Folders = Mapping[str, Mapping[str, bytes]]
"""The files of sealed folders, by where the folder lies in its store."""


def needed(spec: RunSpec, store: Store) -> Folders:
    """Read what a run can use of its store: its trainings, as far as they are made, and the run
    that lends to it.
    """
    return _read([*_trainings(spec, store), *_lenders(spec, store)], store.root)


def made(spec: RunSpec, store: Store, sent: Folders) -> Folders:
    """Read what a run has put in a store beside what was ``sent`` there."""
    folders = _read([*_trainings(spec, store), store.run_folder(run_key(spec))], store.root)
    return {place: files for place, files in folders.items() if place not in sent}


def unpack(folders: Folders, store: Store) -> None:
    """Put folders in a store that is ours alone."""
    for place, files in folders.items():
        write_copy(store.root / place, files)


def take(folders: Folders, spec: RunSpec, store: Store) -> None:
    """Put in a store what a run made elsewhere, the run itself last; what is there already, or no
    part of it, is left.

    The claim on the run is held by who calls. A training that another process is at is left to it:
    of one spec both are equal. What was damaged on the way is refused.
    """
    for one in trainings_of(spec):
        folder = store.training_folder(training_key(one))
        with store.claim_training(training_key(one), wait=False) as mine:
            if mine and _place(folder, store) in folders and not is_whole(folder):
                write_copy(folder, folders[_place(folder, store)])
    folder = store.run_folder(run_key(spec))
    if _place(folder, store) not in folders:
        raise StoreError(
            f"{folder}: expected the run among what was sent, got {', '.join(folders) or 'nothing'}"
        )
    write_copy(folder, folders[_place(folder, store)])


def _trainings(spec: RunSpec, store: Store) -> list[Path]:
    return [store.training_folder(training_key(one)) for one in trainings_of(spec)]


def _lenders(spec: RunSpec, store: Store) -> list[Path]:
    """Name the folders of the run whose attention is given to this one; its key may be that of a
    training.
    """
    key = str(dict(spec.model.source.options).get("run", ""))
    if not key:
        return []
    found = [store.run_folder(key), store.training_folder(key)]
    with suppress(StoreError):
        found.append(store.training_folder(str(store.audit(key).spec.get("training_key", ""))))
    return found


def _read(folders: Iterable[Path], root: Path) -> Folders:
    """Read those of the folders that are whole."""
    return {
        folder.relative_to(root).as_posix(): {
            path.name: path.read_bytes() for path in folder.iterdir()
        }
        for folder in dict.fromkeys(folders)
        if is_whole(folder)
    }


def _place(folder: Path, store: Store) -> str:
    return folder.relative_to(store.root).as_posix()
