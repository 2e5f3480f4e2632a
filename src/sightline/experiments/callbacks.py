"""The callbacks by which a run reports its progress; importing them loads no torch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from sightline.audits.stop_limits import OnLook, OnMeasures, ignore

if TYPE_CHECKING:
    from sightline.training.resume_state import Epoch


class OnEpoch(Protocol):
    """Called after each epoch of a training, with the name of the model that is trained."""

    def __call__(self, name: str, epoch: Epoch, epochs: int, /) -> None:
        """Receive an epoch and the largest number of epochs."""


class OnBatch(Protocol):
    """Called after each batch of a training."""

    def __call__(self, name: str, epoch: int, epochs: int, done: int, total: int, /) -> None:
        """Receive how many batches of an epoch are done."""


class OnTexts(Protocol):
    """Called after each batch of texts of an audit."""

    def __call__(self, done: int, total: int, /) -> None:
        """Receive how many texts are audited."""


class OnData(Protocol):
    """Called before a training, with a note on its texts."""

    def __call__(self, note: str, /) -> None:
        """Receive the note."""


@dataclass(frozen=True)
class Display:
    """Callbacks for the progress of a run; each may be left out."""

    on_epoch: OnEpoch = ignore
    on_texts: OnTexts = ignore
    on_batch: OnBatch = ignore
    on_look: OnLook = ignore
    on_data: OnData = ignore
    on_measures: OnMeasures = ignore


SILENT = Display()
