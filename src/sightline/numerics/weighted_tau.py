"""Shieh's weighted rank correlation of a curve over ranks with the weights of those ranks, and its
null.

``τ = Σ W_ij sgn(m_i − m_j) sgn(a_i − a_j) / Σ W_ij`` over pairs of ranks i < j (Shieh 1998), where
a pair weighs ``a_i a_j``, or ``a_i + a_j`` where that is asked for. A tied pair adds nothing above
and stays below, so constant weights give 0 and no order of ties decides. What is a tie:
`sightline.numerics.ties`.
"""

from __future__ import annotations

from itertools import permutations

import numpy as np
from jaxtyping import Float, Int

from sightline.numerics.ties import settled

Array = np.ndarray
EXACT_UP_TO = 8
"""Ranks of which all orders are tried: 40,320 of eight."""
_DRAWS = 20_000
_AT_ONCE = 2000
"""Orders whose signs are held together: 40 MB of fifty ranks."""


def weighted_tau(
    curve: Float[Array, "*R K"], weights: Float[Array, " K"], *, additive: bool = False
) -> Float[Array, "*R"]:
    """Correlate curves with the weights of their ranks; NaN where no pair of ranks has a weight.

    scipy's ``weightedtau(rank=False)`` takes tied pairs out of the denominator too, and by default
    weighs otherwise.
    """
    real = np.ones(curve.shape, dtype=bool)
    known = settled(weights, np.ones(len(weights), dtype=bool))
    signs = _signs(settled(curve, real)) * _signs(known)
    return _over(signs, _pairs(weights, additive))


def effective_pairs(weights: Float[Array, " K"], *, additive: bool = False) -> float:
    """Say how many pairs of equal weight would carry as much: ``(Σ W)² / Σ W²``."""
    pairs = _pairs(weights, additive)
    return _weight(pairs) ** 2 / float((pairs**2).sum() or 1.0)


def variance(weights: Float[Array, " K"], *, additive: bool = False) -> float:
    """Give the exact variance of τ over all orders of a curve without ties, for ranks in the order
    they are given.

    Two pairs that share a rank at the same end agree with chance 2/3, so their signs have
    covariance 1/3, and −1/3 where one ends with the rank that the other begins with. With equal
    weights it is ``2 (2k + 5) / 9k (k − 1)``.
    """
    pairs = _pairs(weights, additive)
    rows, columns, squares = pairs.sum(1), pairs.sum(0), (pairs**2).sum()
    alike = (
        (rows**2).sum() + (columns**2).sum() - 2 * squares
    )  # each couple of pairs from both sides
    return float(squares + (alike - 2 * (rows * columns).sum()) / 3) / _weight(pairs) ** 2


def null(
    weights: Float[Array, " K"], generator: np.random.Generator, *, additive: bool = False
) -> Float[Array, " R"]:
    """Give τ of all orders of a curve without ties (of 20,000 drawn ones above eight ranks), all as
    likely.

    Ranks are told apart by the order they are given in, so equal weights have a null, too.
    """
    orders, pairs = _orders(len(weights), generator), _pairs(weights, additive)
    some = np.array_split(orders, 1 + len(orders) // _AT_ONCE)
    return np.concatenate([_over(_signs(one), pairs) for one in some])


def critical_value(
    weights: Float[Array, " K"],
    generator: np.random.Generator,
    level: float = 0.05,
    *,
    additive: bool = False,
) -> float:
    """Give the least τ that random orders reach in at most ``level`` of all cases; infinite where
    none is so rare.
    """
    drawn = np.sort(
        np.round(null(weights, generator, additive=additive), 12)
    )  # sums of one value differ by rounding
    values, first = np.unique(drawn, return_index=True)
    rare = (len(drawn) - first) / len(drawn) <= level
    return float(values[rare][0]) if rare.any() else float("inf")


def _orders(ranks: int, generator: np.random.Generator) -> Int[Array, "R K"]:
    if ranks <= EXACT_UP_TO:
        return np.array(list(permutations(range(ranks))), dtype=np.int64)
    return generator.permuted(np.tile(np.arange(ranks), (_DRAWS, 1)), axis=1)


def _pairs(weights: Float[Array, " K"], additive: bool) -> Float[Array, "K K"]:
    """Weigh each pair of ranks, the earlier in the row."""
    return np.triu(np.add.outer(weights, weights) if additive else np.outer(weights, weights), 1)


def _signs(values: Float[Array, "*R K"] | Int[Array, "*R K"]) -> Float[Array, "*R K K"]:
    return np.asarray(np.sign(values[..., :, None] - values[..., None, :]), dtype=float)


def _over(signs: Float[Array, "*R K K"], pairs: Float[Array, "K K"]) -> Float[Array, "*R"]:
    return np.asarray((signs * pairs).sum((-2, -1)) / _weight(pairs))


def _weight(pairs: Float[Array, "K K"]) -> float:
    """Add up the pairs; NaN where they weigh nothing."""
    return float(pairs.sum()) or float("nan")
