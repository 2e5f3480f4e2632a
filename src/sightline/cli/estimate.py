"""What ``--dry-run`` prints."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from sightline.cli.output import emit, say

if TYPE_CHECKING:
    from sightline.experiments.forecast import Forecast


def show_forecast(forecast: Forecast, as_json: bool) -> None:
    """Print an estimate of time and memory, and what it rests on."""
    if as_json:
        return emit(asdict(forecast))
    return say(
        [
            *([f"reading: about {duration(forecast.seconds_reading)}"] if forecast.seconds_reading >= 1 else []),
            *([_training(forecast)] if forecast.seconds_epoch else []),
            f"audit: about {duration(forecast.seconds_audit)}",
            f"memory: about {forecast.peak_bytes / 2**20:,.0f} MiB",
            f"basis: {forecast.basis}",
            "dry run: nothing was written",
        ]
    )


def _training(forecast: Forecast) -> str:
    """Say what an epoch costs, and how many there may be: validation ends a training, and nobody knows when."""
    epoch, (fewest, most) = forecast.seconds_epoch, forecast.epochs
    span = f"{duration(epoch * fewest)} to {duration(epoch * most)}" if fewest < most else duration(epoch * most)
    return f"training: {span}, about {duration(epoch)} an epoch, {fewest} to {most} epochs"


def duration(seconds: float) -> str:
    """Write a duration as coarsely as an estimate is known.

    >>> [duration(s) for s in (0.4, 48.2, 500, 9000)]
    ['1 s', '48 s', '8 min', '2.5 h']
    """
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    return f"{seconds / 60:.0f} min" if seconds < 90 * 60 else f"{seconds / 3600:.1f} h"
