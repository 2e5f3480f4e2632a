"""What ``--dry-run`` prints."""

from __future__ import annotations

from dataclasses import asdict, replace
from time import perf_counter
from typing import TYPE_CHECKING

from sightline.cli.door import BEGAN
from sightline.cli.output import emit, say

if TYPE_CHECKING:
    from sightline.experiments.forecasted import Forecast
    from sightline.experiments.subject import Chosen

NOT_COUNTED = "not counted: what is saved beside the page, and that others may use the machine"


def made_forecast(subject: Chosen, device: str, tokens: int, runs: int = 1, attribution: str | None = None) -> Forecast:
    """Estimate what a command takes, with what went by until it could begin."""
    import sightline.experiments.forecast  # noqa: F401, PLC0415  (torch, and all that a run needs)

    started = perf_counter() - BEGAN
    told = subject.forecast(device, tokens, attribution).times(runs)
    return replace(told, seconds_start=told.seconds_start + started)


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
