"""What removing attention weights does to a decision, one subset at a time."""

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

MOST_WORDS = 12


def decided(logits: np.ndarray) -> int:
    """Class 1 above a logit of 0, else the first of the largest; what differs by rounding alone is
    a tie.
    """
    logits = logits.round(9)
    if len(logits) == 1:
        return int(logits[0] > 0)
    return max(range(len(logits)), key=lambda c: (logits[c], -c))


def without(z: np.ndarray, attention: np.ndarray, gone: Sequence[int]) -> int | None:
    """The decision without the weights of some words, scaled to sum to one; None where no weight is
    left.
    """
    left = attention.astype(float).copy()
    left[list(gone)] = 0
    return None if left.sum() == 0 else decided((left / left.sum()) @ z)


def sets(z: np.ndarray, attention: np.ndarray) -> Iterator[tuple[int, ...]]:
    """Every set of words with weight, small ones first."""
    words = np.flatnonzero(attention > 0).tolist()
    assert len(words) <= MOST_WORDS
    for size in range(1, len(words)):
        yield from combinations(words, size)


def smallest(z: np.ndarray, attention: np.ndarray) -> float:
    """The size of the smallest set whose removal flips the decision, by trying them all; NaN where
    none does.
    """
    own = without(z, attention, ())
    return next(
        (float(len(gone)) for gone in sets(z, attention) if without(z, attention, gone) != own),
        np.nan,
    )


def along(z: np.ndarray, attention: np.ndarray, order: Sequence[int]) -> float:
    """How many words of an order go until the decision is another; words without weight do not
    count.
    """
    own, words = without(z, attention, ()), [word for word in order if attention[word] > 0]
    tried = (size for size in range(1, len(words)) if without(z, attention, words[:size]) != own)
    return float(next(tried, np.nan))


def problem(seed: int, most: int = MOST_WORDS) -> tuple[np.ndarray, np.ndarray]:
    """Token logits and weights of one text, with ties and words without weight, whose sums are
    exact in any order.
    """
    draw = np.random.default_rng(seed)
    words, logits = int(draw.integers(1, most + 1)), int(draw.integers(1, 5))
    z = draw.integers(-8, 9, (words, logits)) / 4
    if seed % 3 == 0:
        z += draw.normal(0, 1, z.shape).round(3)
        return z, draw.dirichlet(np.full(words, 0.5))
    weights = draw.integers(0, 5, words).astype(float)
    weights[draw.integers(words)] += 1
    return z, weights


def compare(seed: int, most: int = MOST_WORDS) -> None:
    """Hold the package's answers against trying every set, on one drawn text with padding behind
    it.
    """
    from sightline.numerics import flip_sets

    z, attention = problem(seed, most)
    words, padding = len(z), seed % 3
    padded = np.pad(z, ((0, padding), (0, 0)), constant_values=55.0)[None]
    weights, mask = (
        np.pad(attention, (0, padding))[None],
        (np.arange(words + padding) < words)[None],
    )
    found, least = flip_sets.smallest(padded, weights, mask), smallest(z, attention)
    assert np.array_equal(found.size, [least], equal_nan=True), (seed, found.size, least)
    gone = np.flatnonzero(found.gone[0])
    assert len(gone) == (0 if np.isnan(least) else least)
    assert np.isnan(least) or without(z, attention, gone.tolist()) != without(z, attention, ())
    order = np.random.default_rng(seed).permutation(words)
    whole = np.concatenate([order, np.arange(words, words + padding)])[None]
    one, literal = (
        flip_sets.removals_to_flip(padded, weights, mask, whole),
        along(z, attention, order.tolist()),
    )
    assert np.array_equal(one, [literal], equal_nan=True), (seed, one, literal)
    assert not one[0] < least
