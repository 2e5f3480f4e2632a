"""A store that refuses: no room on the disk, claims that cannot be made, folders that cannot be
written.
"""

from __future__ import annotations

import ctypes
import random
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chaos_study import Before, Ground, as_unbroken, code_of, damage, gate, small_files, start, torn

from sightline.experiments.store import CLAIMS, RUNS, TRAININGS, Store

SMALL_FILE = 20_000
"""Bytes a file may have on a full disk: less than the arrays of one run."""
_PR_CAPBSET_DROP, _OVERRIDES = 24, (1, 2)
"""The rights by which the superuser reads and writes against permissions: CAP_DAC_OVERRIDE and
CAP_DAC_READ_SEARCH."""
REFUSED = 2


def bound_by_permissions() -> None:
    """Let permissions hold for the superuser, too, as they do for other users."""
    for capability in _OVERRIDES:
        ctypes.CDLL(None).prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0)


@dataclass(frozen=True)
class Refusal:
    """How a store is made to refuse, how that is undone, and what the process does before the
    command begins.
    """

    make: Callable[[Path], object]
    undo: Callable[[Path], object]
    before: Before = bound_by_permissions


def _no_claims(store: Path) -> Path:
    shutil.rmtree(store / CLAIMS, ignore_errors=True)
    return store / CLAIMS


def _closed(store: Path, *rooms: str) -> None:
    for room in rooms:
        for place in (store / room, *(store / room).glob("??")):
            place.chmod(0o555)


def _opened(store: Path, *rooms: str) -> None:
    for room in rooms:
        for place in (store / room, *(store / room).glob("??")):
            place.chmod(0o755)


def _read_only_claims(store: Path) -> None:
    _no_claims(store).mkdir()
    _closed(store, CLAIMS)


def _folders_as_locks(store: Path) -> None:
    claims = _no_claims(store)
    for run in (store / RUNS).glob("??/*"):
        (claims / f"run-{run.name}").mkdir(parents=True)


WAYS: Mapping[str, Refusal] = {
    "no room on the disk": Refusal(lambda store: None, lambda store: None, small_files(SMALL_FILE)),
    "claims read-only": Refusal(_read_only_claims, lambda store: _opened(store, CLAIMS)),
    "a file in the place of claims": Refusal(
        lambda store: _no_claims(store).touch(), lambda store: (store / CLAIMS).unlink()
    ),
    "folders in the place of locks": Refusal(_folders_as_locks, _no_claims),
    "runs read-only": Refusal(
        lambda store: _closed(store, RUNS), lambda store: _opened(store, RUNS)
    ),
    "trainings read-only": Refusal(
        lambda store: _closed(store, TRAININGS), lambda store: _opened(store, TRAININGS)
    ),
}


def refused(ground: Ground, chance: random.Random) -> list[dict[str, Any]]:
    """Let a half-finished study meet each refusal, in one process and on two workers, and check
    what it leaves.
    """
    store = Store(ground.folder / "refused")
    shutil.copytree(ground.whole.root, store.root, dirs_exist_ok=True)
    met = {
        name: [_meet(ground, store, way, workers, chance) for workers in (1, 2)]
        for name, way in WAYS.items()
    }
    last = code_of(start(ground.file, store.root))
    gates = [
        gate(f"{name}: exit code 2, one line, nothing kept as failed", sum(each), 2)
        for name, each in met.items()
    ]
    return [
        *gates,
        gate("after the refusals: ended with 0", int(last == 0), 1),
        gate(
            "after the refusals: results equal to the undisturbed",
            as_unbroken(ground, store, ground.grid.keys),
            len(ground.grid.keys),
        ),
    ]


def _meet(ground: Ground, store: Store, way: Refusal, workers: int, chance: random.Random) -> bool:
    """Whether a refused study ends with 2 and one line, and leaves its store unchanged."""
    damage(ground, store, chance)
    before, label = torn(store), ground.folder / "told.txt"
    way.make(store.root)
    try:
        code = code_of(
            start(ground.file, store.root, workers=workers, errors_file=label, before=way.before)
        )
    finally:
        way.undo(store.root)
    failed = [one.key for one in store.summaries() if one.state == "failed"]
    lines = label.read_text(encoding="utf-8").splitlines()
    as_promised = (code, failed, torn(store) - before) == (REFUSED, [], set())
    if not as_promised or len(lines) != 1 or not lines[0].startswith("error: "):
        print(f"ended with {code}, {len(failed)} failed, stderr:", *lines, sep="\n")
        return False
    return True
