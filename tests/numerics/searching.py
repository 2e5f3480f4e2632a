"""Tasks for the searches: decoders of known kinds, and the answer by brute force where there is
one.
"""

from itertools import product

import numpy as np
import torch
from scipy.special import expit, logit, softmax

from sightline.numerics.adversarial_descent import DescentProblem
from tests.reference.formulas import total_variation


def attention(mask: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    scores = np.where(mask, 1.5 * generator.normal(size=mask.shape), -np.inf)
    return softmax(scores, axis=1)


def lengths_to_mask(lengths: list[int]) -> np.ndarray:
    return np.arange(max(lengths)) < np.array(lengths)[:, None]


def affine(z: np.ndarray, weights: np.ndarray, mask: np.ndarray) -> DescentProblem:
    """Logits that are a mixture of token logits ``z``, B T L."""
    tensor = torch.from_numpy(z)
    own = torch.from_numpy(weights)
    logits = torch.einsum("bt,btl->bl", own, tensor)
    return DescentProblem(
        lambda many: torch.einsum("kbt,btl->kbl", many, tensor), own, torch.from_numpy(mask), logits
    )


def bent(
    states: np.ndarray, matrix: np.ndarray, weights: np.ndarray, mask: np.ndarray
) -> DescentProblem:
    """Logits behind a tanh, as those of models that answer queries are."""
    h, w = torch.from_numpy(states), torch.from_numpy(matrix)

    def decode(many: torch.Tensor) -> torch.Tensor:
        return torch.tanh(torch.einsum("kbt,bth->kbh", many, h)) @ w

    own = torch.from_numpy(weights)
    return DescentProblem(decode, own, torch.from_numpy(mask), decode(own[None])[0])


def divergence(p: np.ndarray, q: np.ndarray) -> float:
    """Jensen–Shannon divergence, term by term."""
    middle = (p + q) / 2
    return 0.5 * sum(
        a * np.log(a / m) for one in (p, q) for a, m in zip(one, middle, strict=True) if a > 0
    )


def farthest_of_pairs(z: np.ndarray, own: np.ndarray, epsilon: float) -> float:
    """The farthest attention of one text with one logit: every word, and every pair at both ends of
    the tolerance.
    """
    answer = expit(own @ z)
    ends = [logit(answer + step) for step in (-epsilon, epsilon) if 0 < answer + step < 1]
    best = 0.0
    for i, j in product(range(len(z)), repeat=2):
        if i == j:
            points = [np.eye(len(z))[i]]
        else:
            shares = [(end - z[j]) / (z[i] - z[j]) for end in ends if z[i] != z[j]]
            points = [
                s * np.eye(len(z))[i] + (1 - s) * np.eye(len(z))[j] for s in shares if 0 <= s <= 1
            ]
        kept = (p for p in points if abs(expit(p @ z) - answer) <= epsilon + 1e-9)
        best = max([best, *(divergence(p, own) for p in kept)])
    return best


def farthest_on_a_grid(task: DescentProblem, epsilon: float, steps: int) -> float:
    """The farthest attention of one text on a grid over the simplex, whatever the decoder."""
    own, words = task.attention[0].numpy(), task.attention.shape[1]
    grid = np.array([p for p in product(range(steps + 1), repeat=words) if sum(p) == steps]) / steps
    logits = task.decode(torch.from_numpy(grid)[:, None]).numpy()[:, 0]
    answers, answer = softmax(logits, axis=1), softmax(task.logits[0].numpy())
    kept = [p for p, a in zip(grid, answers, strict=True) if total_variation(a, answer) <= epsilon]
    return max([0.0, *(divergence(p, own) for p in kept)])
