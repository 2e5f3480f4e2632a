"""How a model is trained and audited, as values: each option once, with its default."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sightline.audits.stop_limits import is_sequential
from sightline.config.word_maps import Reduction


@dataclass(frozen=True, kw_only=True)
class TrainingOptions:
    """How a model is trained; None leaves an option to the preset."""

    preset: str | None = None
    epochs: int | None = None
    batch_size: int | None = None
    learning_rate: float | None = None
    fit: Sequence[str] | None = None
    """Other settings of the training, as ``name=value``."""
    companions: str | None = None
    """Models trained for comparison, joined by commas, or ``none``."""
    min_count: int | None = None
    """Training texts that a word must occur in; the data spec repeats it for the vocabulary."""
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
    """How a model is audited, whichever model it is."""

    seed: int = 0
    limit: int | None = None
    """Test texts at most: a seeded sample."""
    gradient: Reduction = "input"
    measures: tuple[str, ...] = ()
    """Expensive measures that run in addition to those of every audit."""
    label_map: Mapping[str, str] = field(default_factory=dict)
    """Labels of the data, each with the class of a trained model that it stands for."""
    labels: tuple[str, ...] = ()
    """The labels to audit of a model with several; none for all."""
    scores: Path | str | None = None
    """A file with scores of words by another tool, or ``captum:NAME``."""
    device: str = "auto"
    """The device that was asked for: a model of the user's code stays where it was built."""


@dataclass(frozen=True, kw_only=True)
class Stopping:
    """When an audit stops: with neither limit, when every measure is taken on every text."""

    budget: float | None = None
    """Seconds."""
    max_texts: int | None = None
    full: bool = False

    def __post_init__(self) -> None:
        """Refuse limits that contradict each other before anything is read."""
        _ = self.early

    @property
    def early(self) -> bool:
        """Whether the audit stops when its verdict is settled."""
        return is_sequential(self.budget, self.max_texts, full=self.full)

    def most_texts(self, limit: int | None) -> int | None:
        """Say how many texts an audit takes at most, whose ``limit`` may be lower."""
        from sightline.audits.look_plan import most_texts  # noqa: PLC0415  (numpy)

        return most_texts(limit, self.budget, self.max_texts, full=self.full)


TO_THE_END = Stopping()
