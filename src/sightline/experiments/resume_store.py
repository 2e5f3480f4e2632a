"""Resume a command that was stopped: its trainings are kept in a store next to its output until the
output is written.

The same command resumes from there: it reads a finished training, and continues an unfinished one
from its last checkpoint. Both give equal bits only with equal threads, versions and device. So each
is stored with these, and trainings made with others are repeated. Commands with other settings keep
their own trainings in the folder; each command removes only what it used.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from sightline.config.specs import RunSpec
    from sightline.experiments.checkpoints import Pace
    from sightline.experiments.store import Store
    from sightline.experiments.training_jobs import Fitted, TrainOnce

WITH = ".made-with.json"
"""The suffix of the file that says what a training was made with, after the key of the training."""
Found = Literal["kept", "made otherwise", "others", "nothing", "busy"]
"""What exists for a training: all or a part of it; the same in other bits; only trainings of other
settings; nothing; or another command holds the folder."""


class UnfinishedTrainings:
    """Keeps the trainings of one command in a folder, created when there is something to keep."""

    def __init__(self, folder: Path, pace: Pace | None = None) -> None:
        self.folder, self.pace = folder, pace
        self._claim = ExitStack()
        self._mine: bool | None = None
        self._used: dict[str, _Kept] = {}

    def threads(self, specs: Sequence[RunSpec]) -> int | None:
        """Return the number of threads with which a command that trains these was stopped last;
        None if it was not.
        """
        from sightline.experiments.grid import pin_all  # noqa: PLC0415  (as late as it is needed)

        if not any(self.folder.glob(f"trainings/??/*{WITH}")):
            return None
        store = self._store()
        own = [_Kept.of(store, spec).mark for spec in pin_all(specs)]
        marks = sorted(
            (mark for mark in own if mark.exists()), key=lambda mark: mark.stat().st_mtime
        )
        threads = _read(marks[-1]).get("threads") if marks else None
        return threads if type(threads) is int and threads > 0 else None

    def find(self, device: str, spec: RunSpec) -> Found:
        """Return what exists for a training that is about to start."""
        from sightline.experiments.checkpoints import training_environment  # noqa: PLC0415  (torch)
        from sightline.experiments.grid import pin  # noqa: PLC0415  (as late as it is needed)

        if not self._is_mine():
            return "busy"
        kept = _Kept.of(self._store(), pin(spec))
        if not kept.is_there():
            return "others" if self._is_used(but=kept.mark) else "nothing"
        return "kept" if _read(kept.mark) == training_environment(device) else "made otherwise"

    def keep(self, device: str, spec: RunSpec, make: TrainOnce) -> Fitted:
        """Return a training as it is kept, or continue it; another command may hold the folder."""
        from sightline.experiments.checkpoints import training_environment  # noqa: PLC0415  (torch)
        from sightline.experiments.grid import pin  # noqa: PLC0415  (as late as it is needed)
        from sightline.experiments.run_in_store import keep_training  # noqa: PLC0415  (torch)
        from sightline.experiments.training_jobs import train_always  # noqa: PLC0415  (torch)

        if not self._is_mine():
            return train_always(spec, make)
        store, pinned = self._store(), pin(spec)  # once: it reads every byte of the data
        kept = _Kept.of(store, pinned)
        self._used[str(kept.whole)] = kept
        kept.begin(training_environment(device))
        return keep_training(store, pinned, make, device=device, pace=self.pace)

    def holds(self) -> bool:
        """Tell whether this command could resume from anything."""
        return any(kept.is_there() for kept in self._used.values())

    def remove(self) -> None:
        """Remove what this command used, and the folder if nothing of others is in it then."""
        for kept in self._used.values():
            kept.remove()
        if self._mine and not self._is_used():
            self._remove_store()
        self.release()
        with suppress(OSError):
            self.folder.rmdir()  # only an empty one

    def _remove_store(self) -> None:
        """Remove the files of the store. Where others lie in the folder, the mark stays, by which
        the next command knows it again.
        """
        from sightline._io.checksums import sweep_aside  # noqa: PLC0415  (as late as it is needed)
        from sightline.experiments.store import CLAIMS, FILES, MARK  # noqa: PLC0415  (as late as it is needed)

        for name in FILES:
            if name not in (MARK, CLAIMS):
                _remove(self.folder / name)
        sweep_aside(self.folder / MARK)
        if {path.name for path in self.folder.iterdir()} <= {MARK, CLAIMS}:
            _remove(self.folder / MARK)
            _remove(self.folder / CLAIMS)  # last: it keeps others out meanwhile

    def release(self) -> None:
        """Release the folder for the next command."""
        self._claim.close()

    def _is_mine(self) -> bool:
        """Claim the folder, unless another command has it."""
        from sightline.experiments.locks import claim  # noqa: PLC0415  (as late as it is needed)
        from sightline.experiments.store import CLAIMS  # noqa: PLC0415  (as late as it is needed)

        if self._mine is None:
            self._store()  # refuses a folder that is something else
            self._mine = self._claim.enter_context(
                claim(self.folder / CLAIMS / "command", wait=False)
            )
        return self._mine

    def _store(self) -> Store:
        from sightline.experiments.store import Store  # noqa: PLC0415  (as late as it is needed)

        return Store(self.folder)

    def _is_used(self, but: Path | None = None) -> bool:
        """Whether the folder holds trainings; the mark of one that has not got anywhere is none."""
        return any(
            path != but
            for room in ("trainings/??", "partway")
            for path in self.folder.glob(f"{room}/[!.]*")
        )


@dataclass(frozen=True)
class _Kept:
    """Where a training and its checkpoint lie, and the file that says what they were made with."""

    whole: Path
    partway: Path
    mark: Path

    @staticmethod
    def of(store: Store, spec: RunSpec) -> _Kept:
        from sightline.config.run_keys import training_key  # noqa: PLC0415  (with what it is asked of)

        key = training_key(spec)
        whole = store.training_folder(key)
        return _Kept(whole, store.partway_folder(key), whole.with_name(f"{key}{WITH}"))

    def is_there(self) -> bool:
        return self.whole.is_dir() or self.partway.is_dir()

    def begin(self, now: Mapping[str, Any]) -> None:
        """Remove a training that was made with other threads, versions or device."""
        if _read(self.mark) != now:
            self.remove()
            self.mark.parent.mkdir(parents=True, exist_ok=True)
            self.mark.write_text(json.dumps(now), encoding="utf-8")

    def remove(self) -> None:
        from sightline._io.checksums import sweep_aside  # noqa: PLC0415  (as late as it is needed)

        for folder in (self.whole, self.partway):
            shutil.rmtree(folder, ignore_errors=True)
            sweep_aside(folder)
        with suppress(OSError):
            self.mark.unlink()


def _remove(place: Path) -> None:
    """Remove a file or a folder of a store, if it is there."""
    shutil.rmtree(place, ignore_errors=True)
    with suppress(OSError):
        place.unlink()


def _read(mark: Path) -> dict[str, Any]:
    with suppress(OSError, ValueError):
        found = json.loads(mark.read_text(encoding="utf-8"))
        return found if isinstance(found, dict) else {}
    return {}
