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
    effective: float | None = None,
) -> tuple[float, float, float]:
    """Ratio of sums with the wider of Student's and the studentised end, from the weights of
    clusters in resamples.

    ``effective`` is the number of groups that Student's interval is of, where it is not that of the
    sums below.
    """
    names = sorted(set(clusters))
    each = [
        (
            sum(u for u, c in zip(top, clusters, strict=True) if c == name),
            sum_of(bottom, clusters, name),
        )
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
    if effective is None:
        effective = sum(v for _, v in each) ** 2 / sum(v**2 for _, v in each)
    usual = t.ppf((1 + level) / 2, max(effective - 1, 1))
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2]) if drawn else (0.0, 0.0)
    return value, value - error * max(high, usual), value + error * max(-low, usual)


def shares(classes: Sequence[int], clusters: Sequence[int]) -> dict[int, float]:
    """Share of each class in an average over classes: alike, but less for one of fewer than ten
    texts or clusters.
    """
    full = {
        one: min(1.0, len({g for g, c in zip(clusters, classes, strict=True) if c == one}) / 10)
        for one in classes
    }
    return {one: share / sum(full.values()) for one, share in full.items()}


def ratio_over_classes(
    top: Sequence[float], bottom: Sequence[float], classes: Sequence[int], clusters: Sequence[int]
) -> float:
    """Ratio of the averages over classes of the means within them."""
    share = shares(classes, clusters)
    means = [
        sum(share[one] * mean_of(values, classes, one) for one in share) for values in (top, bottom)
    ]
    return means[0] / means[1]


def strata_of(classes: Sequence[int], clusters: Sequence[int]) -> list[int]:
    """The stratum of each text: its class, or -1 for all classes of fewer than ten clusters."""
    of = {
        one: len({g for g, c in zip(clusters, classes, strict=True) if c == one}) for one in classes
    }
    return [-1 if of[c] < 10 else c for c in classes]


def interval_over_classes(
    top: Sequence[float],
    bottom: Sequence[float],
    classes: Sequence[int],
    clusters: Sequence[int],
    weights: Sequence[Sequence[float]],
    level: float,
) -> tuple[float, float, float]:
    """The interval of texts whose strata were moved to the average over classes, with what is left
    of their spread.
    """
    n, share, strata = len(top), shares(classes, clusters), strata_of(classes, clusters)
    w = [n * share[c] / classes.count(c) for c in classes]
    groups = {
        one: len({g for g, c in zip(clusters, strata, strict=True) if c == one}) for one in strata
    }
    moved = []
    for values in (top, bottom):
        weighed = [x * v for x, v in zip(w, values, strict=True)]
        if len(groups) == 1:
            moved.append(weighed)
            continue
        means = {one: sum_of(weighed, strata, one) / sum_of(w, strata, one) for one in groups}
        moved.append(
            [
                sum(weighed) / n + x * sqrt(groups[c] / (groups[c] - 1)) * (v - means[c])
                for x, v, c in zip(w, values, strata, strict=True)
            ]
        )
    value = sum(moved[0]) / sum(moved[1])
    variance = {
        one: sum(
            sum(
                u - value * v
                for u, v, c, k in zip(*moved, strata, clusters, strict=True)
                if c == one and k == g
            )
            ** 2
            for g in set(clusters)
        )
        for one in groups
    }
    freedom = sum(variance.values()) ** 2 / sum(
        v**2 / (groups[one] - 1) for one, v in variance.items()
    )
    weighed = [x * v for x, v in zip(w, bottom, strict=True)]
    room = [sum_of(weighed, clusters, g) for g in set(clusters)]
    effective = min(sum(room) ** 2 / sum(v**2 for v in room), freedom + 1)
    return ratio_interval(*moved, clusters, weights, level, effective)


def mean_of(values: Sequence[float], classes: Sequence[int], one: int) -> float:
    """Mean of a class."""
    return sum_of(values, classes, one) / classes.count(one)


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
    """Ratio of sums over pairs: the ratio without each text in turn, and what two texts that meet
    are counted twice.
    """
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


def bca_interval(
    values: Sequence[float], drawn: Sequence[float], level: float
) -> tuple[float, float]:
    """BCa ends of a mean (Efron & Tibshirani 1993, §14.3), from the means of resamples."""
    centre, n = sum(values) / len(values), len(values)
    without = [(sum(values) - value) / (n - 1) for value in values]
    lacks = [sum(without) / n - one for one in without]
    acceleration = sum(a**3 for a in lacks) / (6 * sum(a**2 for a in lacks) ** 1.5)
    below = sum(1.0 if one < centre else 0.5 if one == centre else 0.0 for one in drawn) / len(
        drawn
    )
    bias = norm.ppf(below)
    ends = [bias + norm.ppf(share) for share in ((1 - level) / 2, (1 + level) / 2)]
    low, high = (
        np.quantile(drawn, norm.cdf(bias + end / (1 - acceleration * end))) for end in ends
    )
    return float(low), float(high)


def difference_interval(
    tops: Sequence[Sequence[float]],
    bottoms: Sequence[Sequence[float]],
    clusters: Sequence[int],
    weights: Sequence[Sequence[float]],
    level: float,
    effective: float,
) -> tuple[float, float, float, float]:
    """Second ratio less the first, its ends and its p-value: each resample is a list of clusters,
    for both ratios alike.

    ``effective`` is the number of groups that Student's interval is of.
    """
    names = sorted(set(clusters))
    each = [
        [tuple(sum_of(values, clusters, name) for values in (u, v)) for name in names]
        for u, v in zip(tops, bottoms, strict=True)
    ]
    value, error = _difference_and_error(*each)
    drawn = []
    for row in weights:
        samples = [
            [pair for pair, times in zip(one, row, strict=True) for _ in range(int(times))]
            for one in each
        ]
        if any(sum(v for _, v in sample) <= 0 for sample in samples):
            continue
        again, other = _difference_and_error(*samples)
        if other > error / 10:
            drawn.append((again - value) / other)
    usual = t.ppf((1 + level) / 2, max(effective - 1, 1))
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2])
    at = value / error
    beyond = sum(one >= at for one in drawn) if at > 0 else sum(one <= at for one in drawn)
    p = max(2 * (1 + beyond) / (len(drawn) + 1), 2 * t.cdf(-abs(at), max(effective - 1, 1)))
    return value, value - error * max(high, usual), value + error * max(-low, usual), min(p, 1.0)


def _difference_and_error(
    first: Sequence[tuple[float, float]], second: Sequence[tuple[float, float]]
) -> tuple[float, float]:
    (below, one), (beneath, other) = (
        (sum(v for _, v in pairs), _ratio_and_error(pairs)[0]) for pairs in (first, second)
    )
    n = len(first)
    moved = [
        (d - other * b) / beneath - (c - one * a) / below
        for (c, a), (d, b) in zip(first, second, strict=True)
    ]
    return other - one, sqrt(n / (n - 1) * sum(z**2 for z in moved))


def dyad_difference(
    tops: Sequence[Sequence[float]],
    bottoms: Sequence[Sequence[float]],
    pairs: Sequence[Sequence[tuple[int, int]]],
) -> tuple[float, float]:
    """Second ratio over pairs less the first, and its error: without each text in turn, as for one
    ratio.
    """
    values = [sum(top) / sum(bottom) for top, bottom in zip(tops, bottoms, strict=True)]
    all_pairs = {frozenset(pair) for each in pairs for pair in each}
    variance, least = 0.0, 0.0
    for text in {text for two in all_pairs for text in two}:
        without = []
        for top, bottom, each in zip(tops, bottoms, pairs, strict=True):
            rest = [place for place, pair in enumerate(each) if text not in pair]
            without.append(sum(top[p] for p in rest) / sum(bottom[p] for p in rest))
        variance += ((without[1] - values[1]) - (without[0] - values[0])) ** 2
    for two in all_pairs:
        added = [
            sum(top[p] - value * bottom[p] for p, pair in enumerate(each) if set(pair) == two)
            / sum(bottom)
            for top, bottom, each, value in zip(tops, bottoms, pairs, values, strict=True)
        ]
        least += (added[1] - added[0]) ** 2
        variance -= (added[1] - added[0]) ** 2 if len(two) == 2 else 0.0
    return values[1] - values[0], sqrt(max(variance, least))


def holm_by_hand(p: Sequence[float]) -> list[float]:
    """Adjust the smallest for all, the next for all but one, and so on; none is less than one
    before it.
    """
    order = sorted(range(len(p)), key=lambda i: p[i])
    scaled = [min(1.0, (len(p) - rank) * p[i]) for rank, i in enumerate(order)]
    return [max(scaled[: order.index(i) + 1]) for i in range(len(p))]
