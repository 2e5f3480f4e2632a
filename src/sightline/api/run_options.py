"""The options of a training and an audit as values, each with its default."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sightline.audits.stop_limits import MOST_TEXTS as MOST_TEXTS
from sightline.audits.stop_limits import is_sequential, most_texts
from sightline.config.word_maps import Reduction, is_attribution


@dataclass(frozen=True, kw_only=True)
class TrainingOptions:
    """How a model is trained; None uses the preset."""

    preset: str | None = None
    epochs: int | None = None
    batch_size: int | None = None
    learning_rate: float | None = None
    fit: Sequence[str] | None = None
    """Other settings of the training, as ``name=value``."""
    companions: str | None = None
    """Control models, joined by commas, or ``none``."""
    min_count: int | None = None
    """The number of training texts in which a word must occur; the data spec repeats it for the
    vocabulary."""
    vectors: str | Path | None = None

    @property
    def given(self) -> list[str]:
        """Name the options that are set, in the order in which a trained model refuses them."""
        named = {
            "preset": self.preset,
            "epochs": self.epochs,
            "batch_size": self.batch_size,
            "learning_rate": self.learning_rate,
            "fit": self.fit or None,
            "companions": self.companions,
            "min_count": self.min_count,
            "vectors": self.vectors,
        }
        return [name for name, value in named.items() if value is not None]


@dataclass(frozen=True, kw_only=True)
class AuditOptions:
    """How any model is audited."""

    seed: int = 0
    limit: int | None = None
    """The most test texts: a seeded sample."""
    gradient: Reduction = "input"
    measures: tuple[str, ...] = ()
    """Expensive measures that run in addition to those of every audit."""
    label_map: Mapping[str, str] = field(default_factory=dict)
    """Labels of the data, each with its class of a trained model."""
    labels: tuple[str, ...] = ()
    """The labels to audit, for a model with several; none means all."""
    scores: Path | str | None = None
    """A file with scores of words by another tool, or ``captum:NAME``."""
    device: str = "auto"
    """The device that was asked for; a model from the user's code stays where it was built."""


@dataclass(frozen=True, kw_only=True)
class Stopping:
    """When an audit stops: without limits, after every measure on every text."""

    budget: float | None = None
    """The most seconds of measuring."""
    max_texts: int | None = None
    full: bool = False

    @classmethod
    def asked(
        cls,
        budget: float | None = None,
        max_texts: int | None = None,
        *,
        full: bool = False,
        scores: object = None,
        named: bool = False,
    ) -> Stopping:
        """Return when an audit stops that was asked for so: by default once its verdict is settled,
        with ``full`` once everything is measured.

        Tests that were ``named`` are wanted whatever the verdict is, and an attribution
        (``captum:NAME``) is made of every text before any is measured. So without limits these ask
        for the second.
        """
        limited = budget is not None or max_texts is not None
        full = full or (not limited and (named or is_attribution(scores)))
        if not full and not limited:
            max_texts = MOST_TEXTS
        return cls(budget=budget, max_texts=max_texts, full=full)

    def __post_init__(self) -> None:
        """Refuse contradictory limits before anything is read."""
        _ = self.early

    @property
    def early(self) -> bool:
        """Whether the audit stops when its verdict is settled."""
        return is_sequential(self.budget, self.max_texts, full=self.full)

    def most_texts(self, limit: int | None) -> int | None:
        """Return the most texts that an audit takes; its ``limit`` may be lower."""
        return most_texts(limit, self.budget, self.max_texts, full=self.full)


TO_THE_END = Stopping()
