"""The settings of every interval, and of near copies: values that the numbers of an audit depend on.

They stand here, without torch, so that the key of a run can hold them
(`sightline.config.key_defaults`). Every value is as JSON has it.
"""

from __future__ import annotations

from sightline.config.measures.measure_row import Settings

INTERVALS: Settings = {
    "level": 0.95,
    "resamples": 2000,
    "few": 10,
    "lost": 0.1,
    "apart": 2.0,
    "family": 20,
}
"""The settings of every interval of a finding: an audit is kept with its intervals, made when it is
judged."""

NEAR_COPIES: Settings = {"alike": 0.75, "fewest": 8, "sketch": 32, "likely": 0.15, "compared": 8}
"""The settings by which near copies are found, which count as one text in every interval."""
