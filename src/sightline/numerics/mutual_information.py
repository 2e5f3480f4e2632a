"""Mutual information of two labellings, counted from a table, and how much of it comes of counting
alone; in nats.

The plug-in estimate takes what was counted for what there is. Of labellings that know nothing of
each other it is about ``(N − 1)(C − 1) / 2n`` and not 0 (Miller 1955), and what a cluster does not
separate it cannot see.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Float, Int

from sightline.numerics.divergences import entropy

Array = np.ndarray


def table(first: Int[Array, " N"], second: Int[Array, " N"]) -> Int[Array, "A C"]:
    """Count how often the labels of two labellings, whole numbers from 0, fall together."""
    counted = np.zeros(
        (int(first.max(initial=-1)) + 1, int(second.max(initial=-1)) + 1), dtype=np.int64
    )
    np.add.at(counted, (first, second), 1)
    return counted


def plug_in(counts: Int[Array, "A C"]) -> float:
    """``Σ p(c,y) ln [p(c,y) / p(c) p(y)]`` with counted shares for p, never below 0; NaN of an
    empty table.
    """
    total = counts.sum()
    if total == 0:
        return float("nan")
    joint = counts / total
    found = entropy(joint.sum(1)) + entropy(joint.sum(0)) - entropy(joint.ravel())
    return float(np.maximum(found, 0.0))


def floor(clusters: int, classes: int, texts: int) -> float:
    """Say what the plug-in estimate is on average where nothing is shared: ``(N − 1)(C − 1) / 2n``
    (Miller 1955).
    """
    return (clusters - 1) * (classes - 1) / (2 * texts)


def miller_madow(counts: Int[Array, "A C"]) -> float:
    """Give the plug-in estimate less its first-order bias, by occupied cells (Miller 1955); may be
    below 0.

    Each entropy gains ``(K − 1) / 2n``, K being its occupied cells. Enough only where n is above
    some 10 N C.
    """
    total = counts.sum()
    if total == 0:
        return float("nan")
    occupied = [int((one > 0).sum()) for one in (counts.sum(1), counts.sum(0), counts)]
    return plug_in(counts) + float((occupied[0] + occupied[1] - occupied[2] - 1) / (2 * total))


def comparable(first: int, second: int) -> bool:
    """Tell whether two plug-in estimates are of as many pairs, to 1 %: they rise where there are
    fewer (`floor`).

    >>> comparable(20000, 19900), comparable(20000, 10000)
    (True, False)
    """
    return abs(first - second) <= 0.01 * max(first, second)


def shuffled(
    first: Int[Array, " N"], second: Int[Array, " N"], draws: int, generator: np.random.Generator
) -> Float[Array, " R"]:
    """Give the plug-in estimates of labellings one of which is shuffled: what they are where
    nothing is shared.
    """
    return np.array([plug_in(table(first, generator.permutation(second))) for _ in range(draws)])
