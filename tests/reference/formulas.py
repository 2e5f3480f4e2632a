"""Slow, literal versions of the formulas, one text at a time: what the fast ones are compared
with.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations, pairwise, permutations
from math import log, sqrt

import numpy as np

from sightline.core.example import Example
from sightline.core.protocols import Auditable


def tau_b(x: Sequence[float], y: Sequence[float]) -> float:
    """Kendall's τ-b, pair by pair."""
    concordant = discordant = only_x = only_y = 0
    for i, j in combinations(range(len(x)), 2):
        a, b = np.sign(x[i] - x[j]), np.sign(y[i] - y[j])
        concordant += a * b > 0
        discordant += a * b < 0
        only_x += a != 0 and b == 0
        only_y += a == 0 and b != 0
    decided = concordant + discordant
    below = sqrt((decided + only_x) * (decided + only_y))
    return (concordant - discordant) / below if below else float("nan")


def captured(scores: Sequence[float], reference: Sequence[float], count: int) -> float:
    """Share of the reference held by the top words, averaged over every way to break ties."""
    orders = [
        order
        for order in permutations(range(len(scores)))
        if all(scores[a] >= scores[b] for a, b in pairwise(order))
    ]
    held = np.mean([sum(reference[t] for t in order[:count]) for order in orders])
    return float(held / sum(sorted(reference, reverse=True)[:count]))


def captured_over_permutations(
    scores: Sequence[float], reference: Sequence[float], count: int
) -> float:
    """Mean of `captured` over every permutation of the scores."""
    return float(np.mean([captured(order, reference, count) for order in permutations(scores)]))


def probabilities(logits: np.ndarray) -> np.ndarray:
    """Class probabilities of one text."""
    if len(logits) == 1:
        positive = 1 / (1 + np.exp(-logits[0]))
        return np.array([1 - positive, positive])
    powers = np.exp(logits - logits.max())
    return powers / powers.sum()


def total_variation(p: np.ndarray, q: np.ndarray) -> float:
    """Largest difference in probability of any set of classes, set by set."""
    classes = range(len(p))
    sets = [s for size in range(len(p) + 1) for s in combinations(classes, size)]
    return max(abs(sum(p[c] for c in s) - sum(q[c] for c in s)) for s in sets)


def entropy(p: Sequence[float]) -> float:
    """−Σ p log p."""
    return -sum(x * log(x) for x in p if x > 0)


def all_permuted_logits(z: np.ndarray, attention: np.ndarray) -> np.ndarray:
    """Logits under every permutation of the weights of one text."""
    return np.array([np.array(order) @ z for order in permutations(attention)])


def without(example: Example, gone: set[int]) -> Example:
    """Really delete words from a text."""
    left = [t for t in range(len(example.tokens)) if t not in gone]
    return replace(
        example,
        tokens=tuple(example.tokens[t] for t in left),
        places=tuple(example.offsets[t] for t in left),
    )


def run_alone(model: Auditable, example: Example) -> np.ndarray:
    """Class probabilities of one text, run by itself."""
    return probabilities(model.trace(model.collate([example])).logits[0].double().numpy())


def leave_one_out(model: Auditable, example: Example) -> np.ndarray:
    """Total variation when each word in turn is deleted and the text is run again."""
    whole = run_alone(model, example)
    shorter = [run_alone(model, without(example, {t})) for t in range(len(example.tokens))]
    return np.array([total_variation(whole, p) for p in shorter])


def comprehensiveness(
    model: Auditable, example: Example, order: Sequence[int], shares: Sequence[float]
) -> float:
    """Mean drop of the decided class's probability when the first words of an order are deleted."""
    whole = run_alone(model, example)
    chosen = int(whole.argmax())
    drops = []
    for share in shares:
        count = min(max(int(share * len(order) + 0.5), 1), len(order) - 1)
        drops.append(whole[chosen] - run_alone(model, without(example, set(order[:count])))[chosen])
    return float(np.mean(drops))


def guided_loss(
    weights: Sequence[float], marks: Sequence[bool] | None, guide: str, strength: float
) -> float:
    """What a guide adds to the loss of one text, −λ log of the mass it wants, word by word (Pruthi
    et al. 2020).
    """
    if guide in ("last", "first"):
        return -strength * log(weights[-1 if guide == "last" else 0])
    if not any(marks or ()):
        return 0.0
    wanted = sum(
        weight
        for weight, mark in zip(weights, marks or (), strict=True)
        if mark == (guide == "onto")
    )
    return (
        -strength * log(wanted) if wanted > 0 else -strength * log(float(np.finfo(np.float32).tiny))
    )
