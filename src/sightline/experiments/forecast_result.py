"""What a run will cost, as a value: seconds by what they go to, and bytes."""

from __future__ import annotations

from dataclasses import dataclass, replace

Span = tuple[float, float]
"""Seconds at least and at most."""


@dataclass(frozen=True)
class Forecast:
    """Seconds and bytes that a run will take, and in words what that rests on.

    ``seconds_training`` is for the most epochs there can be; ``seconds_epoch`` for one of every
    model that is trained. ``seconds_audit`` is what measuring takes.
    """

    seconds_training: float
    seconds_audit: float
    peak_bytes: int
    basis: str
    seconds_epoch: float = 0.0
    epochs: tuple[int, int] = (0, 0)
    """The fewest epochs there can be, and the most: which, only training can tell."""
    seconds_reading: float = 0.0
    seconds_start: float = 0.0
    """What happens once however much there is to do: packages imported, and everything done for the
    first time."""
    seconds_judging: float = 0.0
    seconds_page: float = 0.0
    first_look: tuple[int, float] | None = None
    """Of an audit that stops when its verdict is settled, the texts of its first look and the
    seconds of measuring them."""
    audits: int = 1
    """How many audits follow one another, each with a first look and a budget of its own."""
    budget: float | None = None
    """The seconds after which it stops in any case."""
    notes: tuple[str, ...] = ()
    """What should be known of the texts before they are audited."""

    @property
    def training(self) -> Span:
        """Seconds of training with the fewest epochs, and with the most."""
        fewest, most = self.epochs
        return self.seconds_training * fewest / max(1, most), self.seconds_training

    @property
    def auditing(self) -> float:
        """Seconds of an audit of what is read and trained."""
        return self.seconds_audit + self.seconds_judging + self.seconds_page

    def times(self, runs: int, what: str = "seeds") -> Forecast:
        """Give what so many such runs take, one after the other."""
        if runs == 1:
            return self
        basis = f"{self.basis}; {runs} {what}, one after the other"
        training, audit = self.seconds_training * runs, self.seconds_audit * runs
        judging = self.seconds_judging * runs
        return replace(
            self,
            seconds_training=training,
            seconds_audit=audit,
            seconds_judging=judging,
            audits=runs,
            basis=basis,
        )
