"""How many texts it would take to settle an inconclusive result."""

from __future__ import annotations

import math

from sightline.core.results import Estimate

MOST = 100
"""Factor beyond which more texts would not help: a score that needs more than so many times its
texts lies on the threshold for all practical purposes."""


def texts_needed(score: Estimate, threshold: float, fewest: int = 1) -> int | None:
    """Estimate how many texts would move the interval of a score off the threshold, if the score
    stays the same.

    The half-width h of an interval shrinks with the square root of n, so it equals the distance d
    to the threshold at n · (h / d)² texts. The result is at least ``fewest``, the minimum sample
    size of the test. None if there is no interval, if the score lies on the threshold, or if more
    than `MOST` times the texts were needed.
    """
    half = score.value - score.low if score.value > threshold else score.high - score.value
    distance = abs(score.value - threshold)
    if score.n == 0 or not distance or not math.isfinite(half) or half > distance * math.sqrt(MOST):
        return None
    return max(fewest, score.n if half < distance else math.ceil(score.n * (half / distance) ** 2))
