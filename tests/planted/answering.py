"""Models of which only answers are known, and what decides them: a cue word in a text."""

from collections.abc import Sequence

import numpy as np

import sightline
from sightline.core.seeds import seed_for
from sightline.data.dataset import Dataset

LABELS, CUES, FILLERS = ("alpha", "beta"), ("cuealpha", "cuebeta"), 200


def texts(count: int = 120, seed: int = 7) -> Dataset:
    """Write texts of twenty words, one of which is the cue of the label."""
    generator, made = np.random.default_rng(seed), []
    for number in range(count):
        words = [f"w{one}" for one in generator.choice(FILLERS, 19, replace=False)]
        words.insert(int(generator.integers(20)), CUES[number % 2])
        made.append(" ".join(words))
    labels = [LABELS[number % 2] for number in range(count)]
    return sightline.data_from(made, labels, splits=["test"] * count)


def by_cue(asked: Sequence[str]) -> np.ndarray:
    """Answer by the cue, and a little by nothing else."""
    sides = [4.0 * (CUES[1] in words) - 4.0 * (CUES[0] in words) for words in map(str.split, asked)]
    second = 1 / (1 + np.exp(-np.array(sides)))
    return np.column_stack([1 - second, second])


def of_cue(asked: Sequence[str], words: Sequence[Sequence[str]]) -> list[list[float]]:
    """Score the cue alone."""
    return [[float(word in CUES) for word in each] for each in words]


def at_random(asked: Sequence[str], words: Sequence[Sequence[str]]) -> list[np.ndarray]:
    """Score words by nothing, the same for the same text."""
    return [
        np.random.default_rng(seed_for(0, "scores", text)).random(len(each))
        for text, each in zip(asked, words, strict=True)
    ]


def plausible(asked: Sequence[str], words: Sequence[Sequence[str]]) -> list[list[float]]:
    """Score words that go with the prediction, and that the function never looks at.

    Half of the fillers look like words of each class, by their number; shown are those of the
    predicted class, as a model would that is built to please.
    """
    chosen = by_cue(asked).argmax(axis=1)
    return [
        [float(word[1:].isdigit() and int(word[1:]) % 2 == side) for word in each]
        for side, each in zip(chosen, words, strict=True)
    ]
