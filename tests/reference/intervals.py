"""Slow, literal versions of the intervals: one resample, one text, one pair of pairs at a time."""

from collections.abc import Sequence
from math import sqrt

import numpy as np
from scipy.stats import norm, t


def ratio_interval(
    top: Sequence[float],
    bottom: Sequence[float],
    clusters: Sequence[int],
    weights: Sequence[Sequence[float]],
    level: float,
) -> tuple[float, float, float]:
    """Ratio of sums with the wider of Student's and the studentised end, from the weights of clusters in resamples."""
    names = sorted(set(clusters))
    each = [
        (sum(u for u, c in zip(top, clusters, strict=True) if c == name), sum_of(bottom, clusters, name))
        for name in names
    ]
    value, error = _ratio_and_error(each)
    drawn = []
    for row in weights:
        sample = [pair for pair, times in zip(each, row, strict=True) for _ in range(int(times))]
        if sum(v for _, v in sample) <= 0:
            continue
        again, other = _ratio_and_error(sample)
        if other > error / 10:
            drawn.append((again - value) / other)
    effective = sum(v for _, v in each) ** 2 / sum(v**2 for _, v in each)
    usual = t.ppf((1 + level) / 2, max(effective - 1, 1))
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2]) if drawn else (0.0, 0.0)
    return value, value - error * max(high, usual), value + error * max(-low, usual)


def sum_of(values: Sequence[float], clusters: Sequence[int], name: int) -> float:
    """Sum of a cluster."""
    return sum(v for v, c in zip(values, clusters, strict=True) if c == name)


def _ratio_and_error(pairs: Sequence[tuple[float, float]]) -> tuple[float, float]:
    above, below, n = sum(u for u, _ in pairs), sum(v for _, v in pairs), len(pairs)
    value = above / below
    return value, sqrt(n / (n - 1) * sum((u - value * v) ** 2 for u, v in pairs)) / below


def dyad_interval(
    top: Sequence[float], bottom: Sequence[float], pairs: Sequence[tuple[int, int]], level: float
) -> tuple[float, float, float]:
    """Ratio of sums over pairs: the ratio without each text in turn, and what two texts that meet are counted twice."""
    total = sum(bottom)
    value = sum(top) / total
    variance, least, held = 0.0, 0.0, []
    for text in {text for pair in pairs for text in pair}:
        rest = [place for place, pair in enumerate(pairs) if text not in pair]
        variance += (sum(top[p] for p in rest) / sum(bottom[p] for p in rest) - value) ** 2
        held.append(total - sum(bottom[p] for p in rest))
    for two in {frozenset(pair) for pair in pairs}:
        meet = [place for place, pair in enumerate(pairs) if set(pair) == two]
        both = (sum(top[p] - value * bottom[p] for p in meet) / total) ** 2
        least += both
        variance -= both if len(two) == 2 else 0.0
    effective = sum(b**2 for b in held) ** 2 / sum(b**4 for b in held)
    half = t.ppf((1 + level) / 2, max(effective - 1, 1)) * sqrt(max(variance, least))
    return value, value - half, value + half


def bca_interval(values: Sequence[float], drawn: Sequence[float], level: float) -> tuple[float, float]:
    """BCa ends of a mean (Efron & Tibshirani 1993, §14.3), from the means of resamples."""
    centre, n = sum(values) / len(values), len(values)
    without = [(sum(values) - value) / (n - 1) for value in values]
    lacks = [sum(without) / n - one for one in without]
    acceleration = sum(a**3 for a in lacks) / (6 * sum(a**2 for a in lacks) ** 1.5)
    below = sum(1.0 if one < centre else 0.5 if one == centre else 0.0 for one in drawn) / len(drawn)
    bias = norm.ppf(below)
    ends = [bias + norm.ppf(share) for share in ((1 - level) / 2, (1 + level) / 2)]
    low, high = (np.quantile(drawn, norm.cdf(bias + end / (1 - acceleration * end))) for end in ends)
    return float(low), float(high)
