"""How many texts would settle what an interval leaves open."""

from __future__ import annotations

import math

from sightline.core.results import Estimate

MOST = 100
"""An effect that would take more than so many times its texts lies on the threshold, for all that
anybody can tell."""


def texts_needed(score: Estimate, threshold: float, fewest: int = 1) -> int | None:
    """Estimate how many texts would let the interval of an effect clear δ, if the effect stays
    where it is.

    The half of an interval shrinks with the root of the texts, so the half on the side of δ, h, is
    as wide as the distance d to it with n · (h / d)² texts. At least the ``fewest`` that a finding
    rests on; None where that tells nothing: no interval, an effect that lies on δ, or one that
    would take more than `MOST` times the texts there are.
    """
    half = score.value - score.low if score.value > threshold else score.high - score.value
    distance = abs(score.value - threshold)
    if score.n == 0 or not math.isfinite(half) or half > distance * math.sqrt(MOST):
        return None
    return max(fewest, score.n if half < distance else math.ceil(score.n * (half / distance) ** 2))
