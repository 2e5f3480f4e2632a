"""A training that is not whole yet, on disk: its state after some of its steps, in a sealed folder.

The next steps are of equal bits only with equal threads, versions and device, so beside the state
stands what it was made with, and one that was made with others counts as none.
"""

from __future__ import annotations

import json
import shutil
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load, save

from sightline._io.atomic_write import plain, write_whole
from sightline._io.checksums import is_whole, seal, sweep_aside
from sightline.config.json_reader import parse_json, read_as
from sightline.core.installation import version_of
from sightline.training.resume_state import Epoch, State

TENSORS, PROGRESS_FILE = "state.safetensors", "state.json"


@dataclass(frozen=True)
class Pace:
    """How often a state is written: after some seconds, then for the ``share``-th part of the time
    at most.
    """

    after: float = 5.0
    """What takes less is made again sooner than its states are written."""
    share: float = 20.0


PACE = Pace()
EACH_STEP = Pace(0.0, 0.0)
"""Write after every step: for those who ask whether a training goes on from each of them."""


@dataclass(frozen=True)
class _Progress:
    """What stands beside the tensors of a state."""

    made: dict[str, Any]
    batches: int
    total: float
    epochs: tuple[Epoch, ...]


class Partway:
    """Keeps the last state of one training on a device, at a pace; for whoever holds the claim on
    the training.
    """

    def __init__(self, folder: Path, device: str = "cpu", pace: Pace | None = None) -> None:
        self.folder, self.device = folder, device
        self.pace = pace or PACE
        self._next = time.monotonic() + self.pace.after

    def last(self) -> State | None:
        """Read the state of a training that was stopped; one that is torn, changed or made
        otherwise counts as none.
        """
        whole = is_whole(self.folder)
        sweep_aside(self.folder)
        if not whole:
            return None
        saved = read_as(
            _Progress,
            parse_json((self.folder / PROGRESS_FILE).read_text(encoding="utf-8"), PROGRESS_FILE),
            PROGRESS_FILE,
            nan=True,
        )
        if saved.made != made_with(self.device):
            return None
        return State(
            saved.epochs, load((self.folder / TENSORS).read_bytes()), saved.batches, saved.total
        )

    def due(self) -> bool:
        """Whether it is time for the next state, so that the caller need not make one in vain."""
        return time.monotonic() >= self._next

    def keep(self, state: State) -> None:
        """Write a state in the place of the one before; where there is no room for it, that one
        stays.
        """
        began = time.monotonic()
        with suppress(OSError):  # the training itself may still fit, being a fraction of this
            write_whole(self.folder, lambda aside: _write(aside, state, self.device))
        ended = time.monotonic()
        self._next = ended + self.pace.share * (ended - began)

    def clear(self) -> None:
        """Remove what was kept: the training is whole, or goes nowhere."""
        shutil.rmtree(self.folder, ignore_errors=True)
        sweep_aside(self.folder)


def made_with(device: str) -> dict[str, Any]:
    """Say what the bits of a training depend on beside its spec."""
    versions = {name: version_of(name) for name in ("sightline", "torch", "numpy")}
    processor = torch.backends.cpu.get_cpu_capability()
    return {
        "threads": torch.get_num_threads(),
        "device": device,
        "processor": processor,
        **versions,
    }


def _write(aside: Path, state: State, device: str) -> None:
    aside.mkdir()
    record = plain(asdict(_Progress(made_with(device), state.batches, state.total, state.epochs)))
    (aside / PROGRESS_FILE).write_text(json.dumps(record, allow_nan=False), encoding="utf-8")
    tensors = {name: value.detach().cpu().contiguous() for name, value in state.tensors.items()}
    (aside / TENSORS).write_bytes(save(tensors))
    seal(aside)
