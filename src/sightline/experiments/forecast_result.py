"""The estimated cost of a run: seconds by kind of work, and bytes."""

from __future__ import annotations

from dataclasses import dataclass, replace

Span = tuple[float, float]
"""The least and the most seconds."""


@dataclass(frozen=True)
class Forecast:
    """Estimated seconds and bytes of a run, and the basis of the estimate in words.

    ``seconds_training`` is for the most epochs there can be; ``seconds_epoch`` for one of every
    model that is trained. ``seconds_audit`` is what measuring takes.
    """

    seconds_training: float
    seconds_audit: float
    peak_bytes: int
    basis: str
    seconds_epoch: float = 0.0
    epochs: tuple[int, int] = (0, 0)
    """The fewest and the most epochs; only training can tell which."""
    seconds_reading: float = 0.0
    seconds_start: float = 0.0
    """One-time costs: importing packages, and the first call of everything."""
    seconds_judging: float = 0.0
    seconds_page: float = 0.0
    first_look: tuple[int, float] | None = None
    """For an audit that stops when its verdict is settled: the texts of its first look, and the
    seconds of measuring them."""
    few: int = 0
    """The texts that such an audit measures first if its budget may end before that look."""
    audits: int = 1
    """How many audits follow one another, each with its own first look and budget."""
    budget: float | None = None
    """The seconds after which an audit stops in any case."""
    notes: tuple[str, ...] = ()
    """Notes on the texts before they are audited."""

    @property
    def training(self) -> Span:
        """Seconds of training with the fewest and with the most epochs."""
        fewest, most = self.epochs
        return self.seconds_training * fewest / max(1, most), self.seconds_training

    @property
    def auditing(self) -> float:
        """Seconds of the audit, after reading and training."""
        return self.seconds_audit + self.seconds_judging + self.seconds_page

    def times(self, runs: int, what: str = "seeds") -> Forecast:
        """Return the estimate of so many such runs, one after the other."""
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
