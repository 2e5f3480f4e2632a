"""The callbacks by which a run reports its progress; importing them loads no torch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from sightline.training.resume_state import Epoch
    from sightline.verdict.settled import LookState


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


def _ignore(*progress: object) -> None:
    """Show nothing."""


class OnLook(Protocol):
    """Called after each look of an audit that stops when its verdict is settled."""

    def __call__(self, state: LookState, /) -> None:
        """Receive the state of the verdict."""


class OnMeasures(Protocol):
    """Called before an audit that stops when its verdict is settled takes some measures."""

    def __call__(self, codes: Sequence[str], /) -> None:
        """Receive their codes, and "other maps" if these are measured as well."""


class OnData(Protocol):
    """Called before a training, with a note on its texts."""

    def __call__(self, note: str, /) -> None:
        """Receive the note."""


@dataclass(frozen=True)
class Display:
    """Callbacks for the progress of a run; each may be left out."""

    on_epoch: OnEpoch = _ignore
    on_texts: OnTexts = _ignore
    on_batch: OnBatch = _ignore
    on_look: OnLook = _ignore
    on_data: OnData = _ignore
    on_measures: OnMeasures = _ignore


SILENT = Display()
