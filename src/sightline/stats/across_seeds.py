"""From the estimates of several seeds to one: how far another training run might have landed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy.special import stdtrit

from sightline.core.results import Estimate
from sightline.numerics.rank_agreement import kendall_tau_b
from sightline.stats.intervals import LEVEL, Bounds, held, without_interval


def across_seeds(estimates: Sequence[Estimate], bounds: Bounds = None) -> Estimate:
    """Mean over seeds with Student's t interval: ``mean ± t(k − 1) · s / √k`` (Student 1908).

    The interval speaks of other seeds on the same texts; the intervals over texts do not enter it.
    One seed says nothing about others, so its own estimate is returned, interval over texts and
    all. ``n`` is the smallest number of texts behind a seed. Seeds without a value are left out,
    and counted in ``method``. The interval takes the values of seeds to be about normal; with two
    or three seeds it is wide, as it should be, but never beyond the bounds of the quantity, such as
    0 and 1 of a share.

    Parameters
    ----------
    estimates
        The same quantity, measured once a seed.
    bounds
        What the quantity is least and most, where it has such ends.

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
    """Standard deviation over seeds, ``√(Σ (x − mean)² / (k − 1))``; NaN where fewer than two have
    a value.
    """
    values = np.array([one.value for one in estimates if not math.isnan(one.value)])
    return float(values.std(ddof=1)) if len(values) > 1 else math.nan


def goes_together(first: Sequence[float], second: Sequence[float]) -> Estimate:
    """Give Kendall's τ-b of two numbers of several models of one seed: no interval, for that is
    over seeds.

    >>> goes_together((0.1, 0.5, 0.9), (1.0, 2.0, float("inf"))).value
    1.0
    """
    low, high = (
        np.unique(one, return_inverse=True)[1].astype(float)[None] for one in (first, second)
    )
    tau = kendall_tau_b(low, high, np.ones((1, len(first)), dtype=bool))
    return without_interval(
        float(tau[0]), len(first), f"of {len(first)} models; no interval is known of one seed"
    )


def _mean(known: Sequence[Estimate], bounds: Bounds) -> Estimate:
    # Sorted, because a sum depends on its order in the last digit, and no seed comes first.
    values, k = np.sort([estimate.value for estimate in known]), len(known)
    centre, n = float(values.mean()), min(estimate.n for estimate in known)
    if np.ptp(values) == 0:
        # No spread between k seeds is no proof that there is none: an interval of no width would
        # claim certainty.
        return Estimate(
            known[0].value, math.nan, math.nan, n, f"{k} seeds, all alike; no interval is known"
        )
    half = float(stdtrit(k - 1, (1 + LEVEL) / 2)) * float(values.std(ddof=1)) / math.sqrt(k)
    return Estimate(
        centre,
        *held(centre, centre - half, centre + half, bounds),
        n,
        f"Student’s t over {k} seeds",
    )
