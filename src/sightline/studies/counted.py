"""What is counted of a corpus itself, without any model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import numpy as np

from sightline.data.dataset import Split
from sightline.data.loading import load
from sightline.data.vocabulary import Vocabulary
from sightline.spec.values import DataSpec

MOST = 3
"""Classes that are counted one by one; of answers to questions there are more."""


def sizes(data: DataSpec) -> Mapping[str, float]:
    """Count the words of the training texts, how many a text has, and the texts of training and test by class."""
    corpus = load(data, 0)
    classes = len(corpus.label_names)
    return {
        "words of the vocabulary": len(Vocabulary.fit(corpus.train, data.min_count).words),
        "words of a text, mean": float(np.mean([len(text.tokens) for text in corpus.train])),
        **_by_class("training", corpus.train, classes),
        **_by_class("test", corpus.test, classes),
    }


def totals(data: DataSpec) -> Mapping[str, float]:
    """Count the texts of training and test."""
    corpus = load(data, 0)
    return {"training texts": len(corpus.train), "test texts": len(corpus.test)}


def words(data: DataSpec) -> Mapping[str, float]:
    """Count the words of the training texts, and how many a text has."""
    return {name: value for name, value in sizes(data).items() if name.startswith("words")}


def _by_class(split: str, texts: Split, classes: int) -> dict[str, float]:
    if classes > MOST:
        return {f"{split} texts": len(texts)}
    found = Counter(text.label for text in texts)
    return {f"{split} texts of class {number}": found[number] for number in range(classes)}
