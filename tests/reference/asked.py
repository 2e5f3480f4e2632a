"""Slow, literal versions of what is asked of words and weights, one text at a time."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from itertools import permutations
from math import log

import numpy as np

from sightline.core.example import Example
from sightline.core.protocols import Auditable
from tests.reference.formulas import probabilities, run_alone, without


def mass(weights: Sequence[float], reference: Sequence[float]) -> float:
    """What the weights hold of a reference, over its largest value."""
    return sum(w * r for w, r in zip(weights, reference, strict=True)) / max(reference)


def mass_over_permutations(weights: Sequence[float], reference: Sequence[float]) -> float:
    """Mean of `mass` over every permutation of the weights."""
    return float(np.mean([mass(order, reference) for order in permutations(weights)]))


def constant_weights(texts: Sequence[Sequence[float]], length: int, cells: int) -> np.ndarray:
    """Lay the weights of texts over each other by relative position, cell by cell; read them at the
    words of one.
    """
    curve = [
        np.mean([_held(weights, cell / cells, (cell + 1) / cells) for weights in texts])
        for cell in range(cells)
    ]
    return np.array([_held(curve, word / length, (word + 1) / length) for word in range(length)])


def _held(weights: Sequence[float], start: float, end: float) -> float:
    """Weight between two places of a text, each of its words lying evenly over its share of the
    way.
    """
    total, n = 0.0, len(weights)
    for number, weight in enumerate(weights):
        overlap = min(end, (number + 1) / n) - max(start, number / n)
        total += weight * n * max(0.0, overlap)
    return total


def odds(p: np.ndarray, chosen: int) -> float:
    """Log-odds of one class."""
    return log(p[chosen]) - log(sum(q for c, q in enumerate(p) if c != chosen))


def odds_of_logits(logits: np.ndarray, chosen: int) -> float:
    """Log-odds of one class, from logits."""
    return odds(probabilities(logits), chosen)


def signed_deletion(model: Auditable, example: Example) -> list[float]:
    """What the log-odds of the decided class lose when each word in turn is deleted and the text is
    run again.
    """
    whole = run_alone(model, example)
    chosen = int(whole.argmax())
    return [
        odds(whole, chosen) - odds(run_alone(model, without(example, {t})), chosen)
        for t in range(len(example.tokens))
    ]


def polarity(weights: Sequence[float], effects: Sequence[float], count: int) -> tuple[float, float]:
    """Share of the weight of the heaviest words on those that do not speak against the prediction;
    share of all words.
    """
    heaviest = sorted(range(len(weights)), key=lambda t: -weights[t])[:count]
    noise = 1e-6 * max(abs(score) for score in effects)
    spared = sum(weights[t] for t in heaviest if effects[t] >= -noise)
    return spared / sum(weights[t] for t in heaviest), sum(
        score >= -noise for score in effects
    ) / len(effects)


def is_mark(token: str) -> bool:
    """Tell a special token, or one whose signs are all punctuation, spaces or the like."""
    if re.fullmatch(r"\[[A-Za-z]+[0-9]*\]|</?[a-z]+>|<\|[a-z]+\|>", token):
        return True
    return all(
        unicodedata.category(sign)[0] not in "LN" and unicodedata.category(sign) != "So"
        for sign in token
    )


def mean_even_share(texts: Sequence[tuple[Sequence[str], Sequence[float]]]) -> Mapping[str, float]:
    """Mean over all places of a word of its weight times the words of its text."""
    found: dict[str, list[float]] = {}
    for tokens, weights in texts:
        for word, weight in zip(tokens, weights, strict=True):
            found.setdefault(word, []).append(weight * len(tokens))
    return {word: float(np.mean(values)) for word, values in found.items()}
