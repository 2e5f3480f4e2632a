"""Checkpoints: the state of an unfinished training, in a sealed folder.

A resumed training gives equal bits only with equal threads, versions and device. So each checkpoint
records these, and one made with others is ignored.
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
from sightline.core.installation import bit_versions
from sightline.training.resume_state import Epoch, State

TENSORS, PROGRESS_FILE = "state.safetensors", "state.json"


@dataclass(frozen=True)
class Pace:
    """How often a checkpoint is written: first after some seconds, then often enough to take at
    most the ``share``-th part of the time.
    """

    after: float = 5.0
    """A shorter training is repeated faster than its checkpoints are written."""
    share: float = 20.0


PACE = Pace()
EACH_STEP = Pace(0.0, 0.0)
"""Write after every step, to test that a training resumes from each one."""


@dataclass(frozen=True)
class _Progress:
    """What a checkpoint holds in addition to its tensors."""

    made: dict[str, Any]
    batches: int
    total: float
    epochs: tuple[Epoch, ...]


class TrainingCheckpoints:
    """Keeps the last state of one training on a device, at a pace. The caller holds the claim on
    the training.
    """

    def __init__(self, folder: Path, device: str = "cpu", pace: Pace | None = None) -> None:
        self.folder, self.device = folder, device
        self.pace = pace or PACE
        self._next = time.monotonic() + self.pace.after

    def last(self) -> State | None:
        """Read the state of a stopped training. A state that is torn, changed or made with other
        settings is ignored.
        """
        whole = is_whole(self.folder)
        sweep_aside(self.folder)
        if not whole:
            return None
        made = training_environment(self.device)
        progress = parse_json(
            (self.folder / PROGRESS_FILE).read_text(encoding="utf-8"), PROGRESS_FILE
        )
        if not (isinstance(progress, dict) and progress.get("made") == made):
            return None  # first of all, because another version may have other fields
        saved = read_as(_Progress, progress, PROGRESS_FILE, nan=True)
        return State(
            saved.epochs, load((self.folder / TENSORS).read_bytes()), saved.batches, saved.total
        )

    def due(self) -> bool:
        """Whether the next state is due, so that the caller builds it only then."""
        return time.monotonic() >= self._next

    def keep(self, state: State) -> None:
        """Replace the previous state; keep it if there is no room for the new one."""
        began = time.monotonic()
        with suppress(OSError):  # the training itself may still fit: it is a fraction of this size
            write_whole(self.folder, lambda aside: _write(aside, state, self.device))
        ended = time.monotonic()
        self._next = ended + self.pace.share * (ended - began)

    def clear(self) -> None:
        """Remove what was kept: the training has finished or failed."""
        shutil.rmtree(self.folder, ignore_errors=True)
        sweep_aside(self.folder)


def training_environment(device: str) -> dict[str, Any]:
    """List what the bits of a training depend on in addition to its spec."""
    processor = torch.backends.cpu.get_cpu_capability()
    return {
        "threads": torch.get_num_threads(),
        "device": device,
        "processor": processor,
        **bit_versions(),
    }


def _write(aside: Path, state: State, device: str) -> None:
    aside.mkdir()
    record = plain(
        asdict(_Progress(training_environment(device), state.batches, state.total, state.epochs))
    )
    (aside / PROGRESS_FILE).write_text(json.dumps(record, allow_nan=False), encoding="utf-8")
    tensors = {name: value.detach().cpu().contiguous() for name, value in state.tensors.items()}
    (aside / TENSORS).write_bytes(save(tensors))
    seal(aside)
