"""Slow, literal answers about all attentions of one text: every corner of a polytope, a fine grid,
every move of scores.

A text is its token logits less those of a rival, T × K, and its own weights.
"""

from collections.abc import Callable, Iterator
from itertools import combinations, product
from math import isfinite, log

import numpy as np

from tests.reference.formulas import probabilities, total_variation

NEAR = 1e-9


def divergence(p: np.ndarray, q: np.ndarray) -> float:
    """Jensen–Shannon, as it is defined: token by token against the mean of the two, with 0 log 0 =
    0.
    """
    middle = [(x + y) / 2 for x, y in zip(p, q, strict=True)]
    return sum(
        x * log(x / m) / 2
        for one in (p, q)
        for x, m in zip(one.tolist(), middle, strict=True)
        if x > 0 and m > 0
    )


def corners(gaps: np.ndarray, low: np.ndarray, high: np.ndarray) -> list[np.ndarray]:
    """Every corner of the attentions with ``low ≤ Σ α_t gap_t ≤ high``: on m tokens, m − 1 ends are
    met.
    """
    tokens, rivals = gaps.shape
    walls = [(k, end) for k in range(rivals) for end in {low[k], high[k]} if isfinite(end)]
    found = []
    for m in range(1, min(tokens, rivals + 1) + 1):
        for some, met in product(combinations(range(tokens), m), combinations(walls, m - 1)):
            rows = np.array([np.ones(m), *(gaps[list(some), k] for k, _ in met)])
            if abs(np.linalg.det(rows)) < 1e-12:
                continue
            weights = np.zeros(tokens)
            weights[list(some)] = np.linalg.solve(rows, np.array([1.0, *(end for _, end in met)]))
            mixed = weights @ gaps
            if (
                (weights >= -1e-12).all()
                and (mixed >= low - NEAR).all()
                and (mixed <= high + NEAR).all()
            ):
                found.append(np.maximum(weights, 0))
    return found


def farthest(found: list[np.ndarray], attention: np.ndarray) -> float:
    """The largest divergence at a corner."""
    return max(divergence(one, attention) for one in found)


def least(found: list[np.ndarray], held: np.ndarray) -> float:
    """The least mass on the held tokens at a corner; NaN where there is none."""
    return min((float(one[held].sum()) for one in found), default=float("nan"))


def grid(steps: int) -> Iterator[np.ndarray]:
    """Every attention over three tokens whose weights are whole numbers of ``steps``."""
    for first in range(steps + 1):
        for second in range(steps + 1 - first):
            yield np.array([first, second, steps - first - second]) / steps


def answering(z: np.ndarray, attention: np.ndarray, epsilon: float) -> Callable[[np.ndarray], bool]:
    """Say of another attention whether its answer is within ε of that of this one.

    One logit is written as two, so that a probability next to 1 is not taken for 1: its complement
    is known exactly.
    """
    two = np.concatenate([np.zeros_like(z), z], axis=1) if z.shape[1] == 1 else z
    own = probabilities(attention @ two)
    return lambda other: total_variation(probabilities(other @ two), own) <= epsilon


def flips(gaps: np.ndarray, attention: np.ndarray, nats: float) -> bool:
    """Say whether a rival is ahead after any move of the scores by ± ``nats``, each way for each
    token.
    """
    for moves in product((-nats, nats), repeat=len(attention)):
        weights = attention * np.exp(moves)
        if ((weights / weights.sum()) @ gaps).min() < 0:
            return True
    return False
