"""Settings of intervals and of near-copy detection, which the numbers of an audit depend on.

They live here, without torch, so that the key of a run can include them
(`sightline.config.key_defaults`). Every value is plain JSON.
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
"""Settings of the intervals of findings. A saved audit keeps its intervals, which are computed when
it is judged."""

NEAR_COPIES: Settings = {"alike": 0.75, "fewest": 8, "sketch": 32, "likely": 0.15, "compared": 8}
"""Settings of near-copy detection. Near copies count as one text in every interval."""
