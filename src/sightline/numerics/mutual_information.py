"""Mutual information of two labellings from their contingency table, and the bias of this estimate;
in nats.

The plug-in estimate uses counted frequencies as probabilities. For independent labellings it is
about ``(N − 1)(C − 1) / 2n`` instead of 0 (Miller 1955), and it cannot see differences within a
cluster.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Float, Int

from sightline.numerics.divergences import entropy

Array = np.ndarray


def table(first: Int[Array, " N"], second: Int[Array, " N"]) -> Int[Array, "A C"]:
    """Count how often each pair of labels (whole numbers from 0) occurs together."""
    counted = np.zeros(
        (int(first.max(initial=-1)) + 1, int(second.max(initial=-1)) + 1), dtype=np.int64
    )
    np.add.at(counted, (first, second), 1)
    return counted


def plug_in(counts: Int[Array, "A C"]) -> float:
    """``Σ p(c,y) ln [p(c,y) / p(c) p(y)]`` with counted frequencies for p, never below 0; NaN for
    an empty table.
    """
    total = counts.sum()
    if total == 0:
        return float("nan")
    joint = counts / total
    found = entropy(joint.sum(1)) + entropy(joint.sum(0)) - entropy(joint.ravel())
    return float(np.maximum(found, 0.0))


def floor(clusters: int, classes: int, texts: int) -> float:
    """Give the mean of the plug-in estimate for independent labellings: ``(N − 1)(C − 1) / 2n``
    (Miller 1955).
    """
    return (clusters - 1) * (classes - 1) / (2 * texts)


def comparable(first: int, second: int) -> bool:
    """Tell whether two plug-in estimates rest on the same number of pairs, to 1 %: fewer pairs give
    larger estimates (`floor`).

    >>> comparable(20000, 19900), comparable(20000, 10000)
    (True, False)
    """
    return abs(first - second) <= 0.01 * max(first, second)


def shuffled(
    first: Int[Array, " N"], second: Int[Array, " N"], draws: int, generator: np.random.Generator
) -> Float[Array, " R"]:
    """Give the plug-in estimates after shuffling one labelling, which are the chance level."""
    return np.array([plug_in(table(first, generator.permutation(second))) for _ in range(draws)])
