"""Slow, literal projections of one text's scores onto the simplex, by another algorithm than the
package's.
"""

from collections.abc import Callable, Sequence
from math import exp


def sparsemax(z: Sequence[float]) -> list[float]:
    """Algorithm 1 of Martins & Astudillo (2016): sort, find the support, subtract the threshold."""
    ordered = sorted(z, reverse=True)
    support = max(k for k in range(1, len(z) + 1) if 1 + k * ordered[k - 1] > sum(ordered[:k]))
    threshold = (sum(ordered[:support]) - 1) / support
    return [max(score - threshold, 0.0) for score in z]


def sparsegen(z: Sequence[float], strength: float) -> list[float]:
    """argmin ‖p − z‖² − λ‖p‖²: its optimum is ``p_i = [z_i − τ]₊ / (1 − λ)``, with τ such that Σ p
    = 1.
    """
    return on_the_simplex(z, lambda score, threshold: max(score - threshold, 0.0) / (1 - strength))


def entmax(z: Sequence[float], alpha: float) -> list[float]:
    """argmax p·z + H_α(p): its optimum is ``p_i = [(α − 1) z_i − τ]₊^(1 / (α − 1))``, with τ such
    that Σ p = 1.
    """
    if alpha == 1:
        powers = [exp(score - max(z)) for score in z]
        return [power / sum(powers) for power in powers]
    scaled = [(alpha - 1) * (score - max(z)) for score in z]
    return on_the_simplex(
        scaled, lambda score, threshold: max(score - threshold, 0.0) ** (1 / (alpha - 1))
    )


def on_the_simplex(z: Sequence[float], weight: Callable[[float, float], float]) -> list[float]:
    """Halve the range of the threshold until the weights sum to one."""
    low, high = min(z) - 1000.0, max(z)
    for _ in range(200):
        threshold = (low + high) / 2
        if sum(weight(score, threshold) for score in z) >= 1:
            low = threshold
        else:
            high = threshold
    return [weight(score, low) for score in z]
