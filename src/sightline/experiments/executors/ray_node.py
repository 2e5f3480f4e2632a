"""Execute a run on a machine of a cluster, and pack runs and trainings as bytes for machines that
do not see the store.

The sending process imports this module too, so no import at the top loads torch.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterable, Mapping
from contextlib import chdir, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from sightline._io.checksums import is_whole, write_copy
from sightline.config.base_runs import lender_of
from sightline.config.run_keys import run_key, training_key
from sightline.config.specs import RunSpec
from sightline.core.errors import SightlineError, StoreError
from sightline.core.installation import bit_versions
from sightline.data.corpus_cache import content_digest
from sightline.data.word_vectors import vectors_digest
from sightline.experiments.executors.executor import training_folders
from sightline.experiments.store import CLAIMS, Store
from sightline.training.control_models import trainings_of

Folders = Mapping[str, Mapping[str, bytes]]
"""The files of folders of a store, by the place of the folder in it."""


@dataclass(frozen=True)
class Order:
    """A run that is sent: its key, and what the machine needs to know about the sender."""

    spec: RunSpec
    key: str
    folder: str
    """The folder where the command runs: relative paths start there."""
    root: str
    """The folder of the store. A machine sees the store only if it finds the file ``mark`` in this
    folder."""
    mark: str
    versions: Mapping[str, str]
    sent: Folders | None = None
    """What the machine needs from the store if it does not see it; None until that is known."""


@dataclass(frozen=True)
class NodeReply:
    """How a run ended on a machine: ``blind`` asks for the files that it needs, ``unfit`` says why
    nothing can run there.
    """

    node: str
    ending: Literal["done", "failed", "missing", "blind", "unfit"]
    description: str = ""
    made: Folders | None = None
    """What to put in the store if the machine does not see it."""


def work(order: Order) -> NodeReply:
    """Execute one run in the store, or in a temporary store if this machine does not see it."""
    with chdir(order.folder if Path(order.folder).is_dir() else os.curdir):
        if description := _unfit(order):
            return NodeReply(_name(), "unfit", description)
        try:
            return _in_store(order) if sees(order) else _in_temporary_store(order)
        except StoreError as error:  # the disk would refuse every other run too
            return NodeReply(_name(), "unfit", str(error))


def sees(order: Order) -> bool:
    """Tell whether this machine sees the store: a folder of the same name elsewhere lacks
    its mark.
    """
    with suppress(OSError):
        return mark_file(Path(order.root), order.mark).read_text(encoding="ascii") == order.mark
    return False


def mark_file(root: Path, mark: str) -> Path:
    """Name the file by which a machine recognises the store."""
    return root / CLAIMS / f"cluster-{mark}"


def _in_store(order: Order) -> NodeReply:
    from sightline.experiments.run_in_store import run_claimed  # noqa: PLC0415  (torch)

    return NodeReply(_name(), run_claimed(order.spec, Store(order.root)))


def _in_temporary_store(order: Order) -> NodeReply:
    from sightline.experiments.run_in_store import run_claimed  # noqa: PLC0415  (torch)

    if order.sent is None:
        return NodeReply(_name(), "blind")
    with TemporaryDirectory(prefix="sightline-") as scratch:
        store = Store(Path(scratch) / "store")
        unpack(order.sent, store)
        ending = run_claimed(order.spec, store)
        return NodeReply(_name(), ending, made=new_folders(order.spec, store, order.sent))


def _unfit(order: Order) -> str:
    """Say why a run would give another result here than on the sending machine; empty if it would
    not.
    """
    here = bit_versions()
    if differing := [
        f"{name} {found}" for name, found in here.items() if found != order.versions.get(name)
    ]:
        wanted = ", ".join(f"{name} {order.versions.get(name)}" for name in here)
        return (
            f"{_name()} has {', '.join(differing)}; "
            f"install the versions of this machine there: {wanted}"
        )
    if run_key(order.spec) != order.key:
        return (
            f"{_name()} has another build of sightline {here['sightline']}; install this "
            "machine's build there"
        )
    return _other_data(order.spec)


def _other_data(spec: RunSpec) -> str:
    """Name the user's files that differ here from those of the sending machine."""
    data, vectors = spec.data, spec.model.vectors
    texts = _other(str(data), data.digest, lambda: content_digest(data))
    return texts or _other(vectors, spec.model.vectors_digest, lambda: vectors_digest(vectors))


def _other(named: str, digest: str, look: Callable[[], str]) -> str:
    """Say how a file differs from its digest; a file without a digest is not checked."""
    try:
        found = look() if digest else ""
    except (SightlineError, OSError) as error:
        return (
            f"{named} cannot be read on {_name()} ({error}); put it at the same path on every node"
        )
    return (
        ""
        if found == digest
        else f"{named} has other bytes on {_name()} than here; put the same file on every node"
    )


def _name() -> str:
    return f"node {socket.gethostname()}"


# ---------------------------------------------------------------- runs and trainings as bytes


def needed(spec: RunSpec, store: Store) -> Folders:
    """Read what a run can use from its store: its finished trainings, and the run that lends its
    attention.
    """
    return _read([*training_folders(spec, store), *_lenders(spec, store)], store.root)


def new_folders(spec: RunSpec, store: Store, sent: Folders) -> Folders:
    """Read what a run has added to a store, without the files ``sent`` there."""
    folders = _read([*training_folders(spec, store), store.run_folder(run_key(spec))], store.root)
    return {place: files for place, files in folders.items() if place not in sent}


def unpack(folders: Folders, store: Store) -> None:
    """Put folders in a temporary store."""
    for place, files in folders.items():
        write_copy(store.root / place, files)


def store_folders(folders: Folders, spec: RunSpec, store: Store) -> None:
    """Put in a store what a run made elsewhere, the run itself last; skip what is already there or
    does not belong to the run.

    The caller holds the claim on the run. A training that another process holds is skipped:
    trainings of one spec are equal.
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


def _lenders(spec: RunSpec, store: Store) -> list[Path]:
    """Name the folders of the run that lends its attention to this one; its key may name a
    training.
    """
    if not (key := lender_of(spec)):
        return []
    found = [store.run_folder(key), store.training_folder(key)]
    with suppress(StoreError):
        found.append(store.training_folder(str(store.audit(key).spec.get("training_key", ""))))
    return found


def _read(folders: Iterable[Path], root: Path) -> Folders:
    """Read the folders that are whole."""
    return {
        folder.relative_to(root).as_posix(): {
            path.name: path.read_bytes() for path in folder.iterdir()
        }
        for folder in dict.fromkeys(folders)
        if is_whole(folder)
    }


def _place(folder: Path, store: Store) -> str:
    return folder.relative_to(store.root).as_posix()
