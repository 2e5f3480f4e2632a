"""Combine the estimates of several seeds, to show how much another training run could differ."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy.special import stdtrit

from sightline.core.results import Estimate
from sightline.numerics.rank_agreement import kendall_tau_b
from sightline.stats.intervals import (
    LEVEL,
    Bounds,
    clip_interval,
    has_no_spread,
    without_interval,
)


def across_seeds(estimates: Sequence[Estimate], bounds: Bounds = None) -> Estimate:
    """Mean over seeds with Student's t interval: ``mean ± t(k − 1) · s / √k`` (Student 1908).

    The interval is about other seeds on the same texts; the intervals over texts do not enter it.
    One seed says nothing about other seeds, so its own estimate is returned, with its interval over
    texts. ``n`` is the smallest number of texts of any seed. Seeds without a value are left out and
    counted in ``method``. The interval assumes that values are roughly normal over seeds. With two
    or three seeds it is wide, as it should be. It never leaves the bounds of the quantity, such as
    0 and 1 for a share.

    Parameters
    ----------
    estimates
        The same quantity, measured once per seed.
    bounds
        The smallest and the largest possible value, where the quantity has them.

    Examples
    --------
    >>> across_seeds([Estimate(0.5, 0.4, 0.6, 100, "Wilson"), Estimate(0.7, 0.6, 0.8, 90, "Wilson")]).n
    90
    """
    known = [estimate for estimate in estimates if not math.isnan(estimate.value)]
    if not known:
        return Estimate(
            math.nan, math.nan, math.nan, 0, "undefined for every seed" if estimates else "no seeds"
        )
    left_out = len(estimates) - len(known)
    text = f"; left out where undefined: {left_out} of {len(estimates)} seeds" if left_out else ""
    if len(known) == 1:
        return replace(known[0], method=known[0].method + text)
    mean = _mean(known, bounds)
    return replace(mean, method=mean.method + text)


def deviation(estimates: Sequence[Estimate]) -> float:
    """Standard deviation over seeds, ``√(Σ (x − mean)² / (k − 1))``; NaN with fewer than two."""
    values = np.array([one.value for one in estimates if not math.isnan(one.value)])
    return float(values.std(ddof=1)) if len(values) > 1 else math.nan


def goes_together(first: Sequence[float], second: Sequence[float]) -> Estimate:
    """Kendall's τ-b of two quantities over several models of one seed, without an interval: it
    would have to be over seeds.

    >>> goes_together((0.1, 0.5, 0.9), (1.0, 2.0, float("inf"))).value
    1.0
    """
    low, high = (
        np.unique(one, return_inverse=True)[1].astype(float)[None] for one in (first, second)
    )
    tau = kendall_tau_b(low, high, np.ones((1, len(first)), dtype=bool))
    return without_interval(
        float(tau[0]), len(first), f"of {len(first)} models; no interval is known for one seed"
    )


def _mean(known: Sequence[Estimate], bounds: Bounds) -> Estimate:
    # Sorted, because the last digit of a sum depends on its order, and seeds have no order.
    values, k = np.sort([estimate.value for estimate in known]), len(known)
    centre, n = float(values.mean()), min(estimate.n for estimate in known)
    if has_no_spread(values - centre, np.abs(values).max()):
        # Equal values of k seeds do not prove that other seeds agree: an interval of width 0 would
        # claim certainty.
        return Estimate(
            known[0].value, math.nan, math.nan, n, f"{k} seeds, all equal; no interval is known"
        )
    half = float(stdtrit(k - 1, (1 + LEVEL) / 2)) * float(values.std(ddof=1)) / math.sqrt(k)
    return Estimate(
        centre,
        *clip_interval(centre, centre - half, centre + half, bounds),
        n,
        f"Student’s t over {k} seeds",
    )
