"""A training that is not whole yet, on disk: its state after its last epoch, in a sealed folder."""

from __future__ import annotations

import json
import shutil
import time
from dataclasses import asdict
from pathlib import Path

from safetensors.torch import load, save

from sightline.files import plain, write_whole
from sightline.seal import is_whole, seal
from sightline.spec.typed import parse_json, read_as
from sightline.training.states import Epoch, State

TENSORS, TOLD = "state.safetensors", "epochs.json"
SHARE = 20
"""A state is written when so many times as long has been trained as the last one took to write."""


class Epochs:
    """Keeps the last state of one training; the first at once, and then as often as costs a twentieth at most."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._next = 0.0

    def last(self) -> State | None:
        """Read the state of a training that was stopped; one that is torn or changed counts as none."""
        if not is_whole(self.folder):
            return None
        told = parse_json((self.folder / TOLD).read_text(encoding="utf-8"), TOLD)
        epochs: tuple[Epoch, ...] = read_as(tuple[Epoch, ...], told, TOLD, nan=True)
        return State(epochs, load((self.folder / TENSORS).read_bytes()))

    def keep(self, state: State) -> None:
        """Write a state in the place of the one before, unless that was done a moment ago."""
        began = time.monotonic()
        if began < self._next:
            return
        write_whole(self.folder, lambda aside: _write(aside, state))
        ended = time.monotonic()
        self._next = ended + SHARE * (ended - began)

    def clear(self) -> None:
        """Remove what was kept: the training is whole."""
        shutil.rmtree(self.folder, ignore_errors=True)


def _write(aside: Path, state: State) -> None:
    aside.mkdir()
    told = plain([asdict(epoch) for epoch in state.epochs])
    (aside / TOLD).write_text(json.dumps(told, allow_nan=False), encoding="utf-8")
    tensors = {name: value.detach().cpu().contiguous() for name, value in state.tensors.items()}
    (aside / TENSORS).write_bytes(save(tensors))
    seal(aside)
