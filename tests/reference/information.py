"""Mutual information, Shieh's τ, clusters and held-out scores, pair by pair and text by text; and
what is known exactly.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from math import exp, log, sqrt

import numpy as np
from scipy.stats import norm


def plug_in(first: Sequence[int], second: Sequence[int]) -> float:
    """Sum over the pairs of labels that occur."""
    n, left, right, both = (
        len(first),
        Counter(first),
        Counter(second),
        Counter(zip(first, second, strict=True)),
    )
    return sum(c / n * log(c * n / (left[a] * right[b])) for (a, b), c in both.items())


def tau(curve: Sequence[float], weights: Sequence[float]) -> float:
    """Go through all pairs of ranks."""
    above = below = 0.0
    for i, j in combinations(range(len(curve)), 2):
        pair = weights[i] * weights[j]
        above += pair * float(np.sign(curve[i] - curve[j]) * np.sign(weights[i] - weights[j]))
        below += pair
    return above / below


def binned(rho: float, bins: int) -> float:
    """Give the information that a normal value has of another in equally likely bins, at
    correlation ρ: an integral.
    """
    q = np.linspace(-9, 9, 20_001)
    edges = norm.ppf(np.linspace(0, 1, bins + 1))
    shares = np.diff(norm.cdf((edges[:, None] - rho * q) / sqrt(1 - rho**2)), axis=0)
    terms = np.where(shares > 0, shares * np.log(np.maximum(shares, 1e-300) * bins), 0.0).sum(0)
    return float(np.trapezoid(norm.pdf(q) * terms, q))


def coupled(weights: Sequence[float], shared: float) -> list[float]:
    """Give the information that state i has of ``z = Σ a_i s_i``, the states normal with
    correlation ``shared``.

    Each has variance 1, so ``cov(s_r, z) = c + (1 − c) a_r`` and ``var z = c + (1 − c) Σ a²``.
    """
    whole = shared + (1 - shared) * sum(a * a for a in weights)
    return [-0.5 * log(1 - (shared + (1 - shared) * a) ** 2 / whole) for a in weights]


def lloyd(points: np.ndarray, centres: np.ndarray, steps: int) -> tuple[list[int], np.ndarray]:
    """Move centres to the means of their points, point by point."""
    labels = [int(np.argmin([((one - c) ** 2).sum() for c in centres])) for one in points]
    for _ in range(steps):
        mine = [points[np.array(labels) == c] for c in range(len(centres))]
        centres = np.array(
            [some.mean(0) if len(some) else old for some, old in zip(mine, centres, strict=True)]
        )
        labels = [int(np.argmin([((one - c) ** 2).sum() for c in centres])) for one in points]
    return labels, centres


def table_score(
    clusters: Sequence[int], labels: Sequence[int], folds: Sequence[int], text: int
) -> float:
    """Score one text by the labels of the texts of its cluster in other folds."""
    others = [i for i in range(len(labels)) if folds[i] != folds[text]]
    classes = max(labels) + 1
    prior = [
        (sum(labels[i] == y for i in others) + 0.5) / (len(others) + 0.5 * classes)
        for y in range(classes)
    ]
    alike = [i for i in others if clusters[i] == clusters[text]]
    own = labels[text]
    said = (sum(labels[i] == own for i in alike) + 4 * prior[own]) / (len(alike) + 4)
    return log(max(said, exp(-20))) - log(prior[own])
