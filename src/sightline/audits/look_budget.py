"""Ends an audit before its budget of seconds is spent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sightline.audits.measure_pass import Progress


def unlimited(done: int, total: int) -> None:
    """Let the first predictions run whatever the budget: without them there is nothing to report."""


class BudgetSpentError(Exception):
    """The budget of an audit is spent, or would be with its next batch."""


@dataclass
class BudgetClock:
    """Ends an audit before a batch that would not fit into its budget.

    Texts come in order of length, so the next batch is assumed to take `LONGER` times as long as
    the one before. For the first batch of a stage, the only estimate is the last batch of another
    stage.
    """

    on_progress: Progress
    seconds: Callable[[], float]
    budget: float | None
    batch: float = 0.0
    at: float = 0.0

    def begin(self) -> None:
        """Start timing a stage."""
        self.at = self.seconds()
        self._check()

    def __call__(self, done: int, total: int) -> None:
        """Record that a batch is done."""
        self.on_progress(done, total)
        now = self.seconds()
        self.batch, self.at = now - self.at, now
        if done < total:
            self._check()

    def _check(self) -> None:
        if self.budget is not None and self.at + LONGER * self.batch > self.budget:
            raise BudgetSpentError


LONGER = 1.25
"""The factor by which the next batch may take longer than the one before."""
