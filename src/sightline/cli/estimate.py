"""What ``--dry-run`` prints."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from sightline.cli.door import BEGAN
from sightline.cli.output import emit, say, tell
from sightline.report.noted import worth_noting

if TYPE_CHECKING:
    from sightline.experiments.forecasted import Forecast
    from sightline.experiments.run import Trained
    from sightline.experiments.subject import Chosen

NOT_COUNTED = "not counted: what is saved beside the page, and that others may use the machine"


def made_forecast(subject: Chosen, device: str, tokens: int, runs: int = 1, attribution: str | None = None) -> Forecast:
    """Estimate what a command takes, with what went by until it could begin."""
    import sightline.experiments.forecast  # noqa: F401, PLC0415  (torch, and all that a run needs)

    started = perf_counter() - BEGAN
    told = subject.forecast(device, tokens, attribution).times(runs)
    return replace(told, seconds_start=told.seconds_start + started)


FEWER = 100
"""Texts that are enough for a first audit of a slow model."""


@dataclass(frozen=True)
class Ready:
    """Say of a model that is trained already, before its audit: how the data were read, and about how long it takes."""

    subject: Chosen
    tokens: int
    scores: Path | None = None
    quiet: bool = False

    def __call__(self, trained: Trained) -> None:
        """Print it on stderr, a sentence a line; nothing of a model that was trained first."""
        from sightline.experiments.subject import ToTrain  # noqa: PLC0415  (the caller has it)

        if isinstance(self.subject, ToTrain):
            return
        for note in worth_noting(trained.dataset.card):
            tell(f"note: {note}")
        if not self.quiet:
            # A model that does not do what an audit needs may fail in any way: its audit says what is wrong.
            with suppress(Exception):
                tell(self._estimate(trained))

    def _estimate(self, trained: Trained) -> str:
        from sightline.experiments.forecast import quick_seconds  # noqa: PLC0415  (torch)
        from sightline.experiments.subject import Imported  # noqa: PLC0415  (the caller has it)
        from sightline.taking.attributing import is_attribution  # noqa: PLC0415  (torch)

        there, limit = len(trained.dataset.test), self.subject.limit
        audited = there if limit is None else min(limit, there)
        attribution = str(self.scores) if self.scores is not None and is_attribution(self.scores) else None
        seconds = quick_seconds(
            trained, self.subject.seed, limit, self.tokens, self.subject.measures, attribution=attribution
        )
        fewer = f", --limit {FEWER} audits fewer" if audited > FEWER else ""
        about = f"about {duration(seconds)} (estimate; --dry-run says more{fewer})"
        name = self.subject.factory if isinstance(self.subject, Imported) else trained.model.name
        return f"Auditing {audited:,} texts with {name}: {about}."


def show_forecast(forecast: Forecast, as_json: bool, *, audits: bool = True) -> None:
    """Print an estimate of time and memory, and what it rests on; ``audits`` says whether the command does."""
    before = forecast.seconds_start + forecast.seconds_reading + (forecast.auditing if audits else 0.0)
    least, most = (before + training for training in forecast.training)
    if as_json:
        return emit(asdict(forecast) | {"seconds_least": least, "seconds": most})
    after = forecast.seconds_judging + forecast.seconds_page
    return say(
        [
            f"start: about {duration(forecast.seconds_start)}",
            f"reading: about {duration(forecast.seconds_reading)}",
            *([_training(forecast)] if forecast.seconds_epoch else []),
            *([] if audits else ["an audit of it, a command of its own:"]),
            f"measuring: about {duration(forecast.seconds_audit)}",
            f"judging and page: about {duration(after)}",
            f"in all{'' if audits else ', without the audit'}: {span(least, most)}",
            NOT_COUNTED,
            f"memory: about {forecast.peak_bytes / 2**20:,.0f} MiB",
            f"basis: {forecast.basis}",
            "dry run: nothing was written",
        ]
    )


def span(least: float, most: float) -> str:
    """Write between which durations something lies."""
    return f"about {duration(most)}" if least == most else f"{duration(least)} to {duration(most)}"


def _training(forecast: Forecast) -> str:
    """Say what an epoch costs, and how many there may be: validation ends a training, and nobody knows when."""
    epoch, (fewest, most) = forecast.seconds_epoch, forecast.epochs
    return f"training: {span(*forecast.training)}, about {duration(epoch)} an epoch, {fewest} to {most} epochs"


def duration(seconds: float) -> str:
    """Write a duration as coarsely as an estimate is known.

    >>> [duration(s) for s in (0.4, 48.2, 500, 9000)]
    ['1 s', '48 s', '8 min', '2.5 h']
    """
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    return f"{seconds / 60:.0f} min" if seconds < 90 * 60 else f"{seconds / 3600:.1f} h"
