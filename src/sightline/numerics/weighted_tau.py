"""Shieh's weighted rank correlation between a curve over ranks and the weights of the ranks, with
its null distribution.

``τ = Σ W_ij sgn(m_i − m_j) sgn(a_i − a_j) / Σ W_ij`` over pairs of ranks i < j (Shieh 1998), where
a pair weighs ``a_i a_j``. A tied pair counts in the denominator only, so constant weights give 0 and
tie order does not matter. `sightline.numerics.ties` defines ties.
"""

from __future__ import annotations

from itertools import permutations

import numpy as np
from jaxtyping import Float, Int

from sightline.numerics.ties import level_ties

Array = np.ndarray
EXACT_UP_TO = 8
"""The most ranks for which all orders are enumerated: eight ranks have 40,320."""
_DRAWS = 20_000
_LEVEL = 0.05
"""The share of random orders that may reach a critical value."""
_AT_ONCE = 2000
"""Number of orders in memory at a time: 40 MB for fifty ranks."""


def weighted_tau(curve: Float[Array, "*R K"], weights: Float[Array, " K"]) -> Float[Array, "*R"]:
    """Correlate curves with the weights of their ranks; NaN if no pair of ranks has weight.

    scipy's ``weightedtau(rank=False)`` also removes tied pairs from the denominator, and weighs
    pairs differently by default.
    """
    real = np.ones(curve.shape, dtype=bool)
    known = level_ties(weights, np.ones(len(weights), dtype=bool))
    signs = _signs(level_ties(curve, real)) * _signs(known)
    return _over(signs, _pairs(weights))


def effective_pairs(weights: Float[Array, " K"]) -> float:
    """Give the effective number of pairs: ``(Σ W)² / Σ W²``."""
    pairs = _pairs(weights)
    return _weight(pairs) ** 2 / float((pairs**2).sum() or 1.0)


def null(weights: Float[Array, " K"], generator: np.random.Generator) -> Float[Array, " R"]:
    """Give τ of all orders of a curve without ties, equally likely; above eight ranks, of 20,000
    random orders.

    Ranks are distinguished by their given order, so equal weights have a null distribution too.
    """
    orders, pairs = _orders(len(weights), generator), _pairs(weights)
    some = np.array_split(orders, 1 + len(orders) // _AT_ONCE)
    return np.concatenate([_over(_signs(one), pairs) for one in some])


def critical_value(weights: Float[Array, " K"], generator: np.random.Generator) -> float:
    """Give the least τ that at most 5 % of random orders reach; infinite if none is so rare."""
    drawn = np.sort(np.round(null(weights, generator), 12))  # equal sums differ by rounding
    values, first = np.unique(drawn, return_index=True)
    rare = (len(drawn) - first) / len(drawn) <= _LEVEL
    return float(values[rare][0]) if rare.any() else float("inf")


def _orders(ranks: int, generator: np.random.Generator) -> Int[Array, "R K"]:
    if ranks <= EXACT_UP_TO:
        return np.array(list(permutations(range(ranks))), dtype=np.int64)
    return generator.permuted(np.tile(np.arange(ranks), (_DRAWS, 1)), axis=1)


def _pairs(weights: Float[Array, " K"]) -> Float[Array, "K K"]:
    """Weigh each pair of ranks, with the earlier rank as the row."""
    return np.triu(np.outer(weights, weights), 1)


def _signs(values: Float[Array, "*R K"] | Int[Array, "*R K"]) -> Float[Array, "*R K K"]:
    return np.asarray(np.sign(values[..., :, None] - values[..., None, :]), dtype=float)


def _over(signs: Float[Array, "*R K K"], pairs: Float[Array, "K K"]) -> Float[Array, "*R"]:
    return np.asarray((signs * pairs).sum((-2, -1)) / _weight(pairs))


def _weight(pairs: Float[Array, "K K"]) -> float:
    """Sum the pair weights; NaN if the sum is zero."""
    return float(pairs.sum()) or float("nan")
