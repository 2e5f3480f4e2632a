"""Callbacks for a caller of the library, since nothing here prints."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from sightline.audits.stop_limits import ignore as ignore
from sightline.data.read_progress import watch_progress as watch_progress
from sightline.experiments.callbacks import SILENT
from sightline.experiments.callbacks import Display as Display

if TYPE_CHECKING:
    from sightline.api.compute_resources import Machine
    from sightline.api.model_source import ModelSource
    from sightline.experiments.pipeline import Trained
    from sightline.experiments.training_jobs import TrainOrLoad
    from sightline.training.resume_state import Epoch as Epoch
    from sightline.verdict.settled import LookState as LookState


class ShowProgress(Protocol):
    """Returns the callbacks for the progress of one run."""

    def __call__(self) -> AbstractContextManager[Display]:
        """Start to show progress."""


class OnNote(Protocol):
    """Called with a sentence that the user should read."""

    def __call__(self, note: str, /) -> None:
        """Receive the sentence."""


class OnReady(Protocol):
    """Called between training and audit, with the model and its data."""

    def __call__(self, source: ModelSource, trained: Trained, machine: Machine, /) -> None:
        """Receive the trained model, its source and the machine."""


class OnSeed(Protocol):
    """Called before each of several seeds."""

    def __call__(self, seed: int, number: int, count: int, /) -> None:
        """Receive the seed, and its place among all."""


class OnLabel(Protocol):
    """Called before each of several labels."""

    def __call__(self, label: str, number: int, count: int, /) -> None:
        """Receive the label, and its place among all that are audited."""


@contextmanager
def silent() -> Iterator[Display]:
    """Show no progress."""
    yield SILENT


@dataclass(frozen=True, kw_only=True)
class Hooks:
    """The callbacks of an audit; each may be left out."""

    progress: ShowProgress = silent
    on_note: OnNote = ignore
    on_resume: OnNote = ignore
    """Called with a sentence on whether kept trainings are used, and where a stop leaves them."""
    on_ready: OnReady = ignore
    on_seed: OnSeed = ignore
    on_label: OnLabel = ignore
    keep: TrainOrLoad | None = None
    """Returns a kept training, or makes it."""
