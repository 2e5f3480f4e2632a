"""What is trained of a command that may be stopped: a store beside its output, which is gone once that is written.

The same command goes on from there: a training that is whole is read, and of one that is not the state after its last
epoch. Both are of equal bits only with equal threads, versions and device, so `WITH` says what they were made with, and
what was made with others is made anew.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sightline.experiments.run import Fitted, Make
    from sightline.spec.values import RunSpec

WITH = "made-with.json"


class Unfinished:
    """Keeps the trainings of one command in a folder, made when there is something to keep."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._claim = ExitStack()
        self._mine: bool | None = None

    @property
    def threads(self) -> int | None:
        """With how many threads a command that was stopped had begun; None where there is none."""
        threads = self._made_with().get("threads")
        return threads if type(threads) is int and threads > 0 else None

    def keep(self, device: str, spec: RunSpec, make: Make) -> Fitted:
        """Give a training: as it is kept, or made from the last epoch that is; another command may have the folder."""
        from sightline.experiments.grid import pin  # noqa: PLC0415  (as late as it is needed)
        from sightline.experiments.run import make_anew  # noqa: PLC0415  (torch)
        from sightline.experiments.store import Store  # noqa: PLC0415  (as late as it is needed)
        from sightline.experiments.stored import keep_training  # noqa: PLC0415  (torch)

        if self._mine is None:
            self._mine = self._begin(made_with(device))
        if not self._mine:
            return make_anew(spec, make)
        return keep_training(Store(self.folder), pin(spec), make, by_epoch=True)

    def holds(self) -> bool:
        """Tell whether there is anything to go on from."""
        return bool(self._mine) and any((self.folder / "trainings").glob("??/[!.]*"))

    def remove(self) -> None:
        """Remove the folder, if it is ours: what it was for is written, or there is nothing in it."""
        self.release()
        if self._mine:
            shutil.rmtree(self.folder, ignore_errors=True)

    def release(self) -> None:
        """Leave the folder to the next command."""
        self._claim.close()

    def _begin(self, now: Mapping[str, Any]) -> bool:
        """Take the folder, unless another command has it; what was made otherwise than now is removed."""
        from sightline.experiments.locks import claim  # noqa: PLC0415  (as late as it is needed)
        from sightline.experiments.store import CLAIMS, TRAININGS, Store  # noqa: PLC0415  (as late as it is needed)

        Store(self.folder)  # refuses a folder that is something else
        if not self._claim.enter_context(claim(self.folder / CLAIMS / "command", wait=False)):
            return False
        if self._made_with() != now:
            shutil.rmtree(self.folder / TRAININGS, ignore_errors=True)
            (self.folder / WITH).write_text(json.dumps(now), encoding="utf-8")
        return True

    def _made_with(self) -> dict[str, Any]:
        with suppress(OSError, ValueError):
            found = json.loads((self.folder / WITH).read_text(encoding="utf-8"))
            return found if isinstance(found, dict) else {}
        return {}


def made_with(device: str) -> dict[str, Any]:
    """Say what the bits of a training depend on beside its spec."""
    from importlib.metadata import version  # noqa: PLC0415  (with what follows)

    import torch  # noqa: PLC0415  (help and mistakes in flags must not wait for it)

    versions = {name: version(name) for name in ("sightline", "torch", "numpy")}
    processor = torch.backends.cpu.get_cpu_capability()
    return {"threads": torch.get_num_threads(), "device": device, "processor": processor, **versions}
