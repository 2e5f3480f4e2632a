"""Count words and texts of a corpus, without any model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from sightline.config.specs import DataSpec
from sightline.data.dataset import Dataset, Split
from sightline.data.load_dataset import fit_vocabulary, load

MOST = 3
"""The most classes that are counted one by one; answers to questions have more."""
OWN_VALIDATION = ("sst", "snli", "cnn")
"""Corpora with their own validation texts, as diabetes of MIMIC has. For the others the papers
print the training texts before validation was split off (bAbI: 10,000)."""
LENGTH, LONGEST = "words of a text, mean", "words of the longest text"

OF_THE_FILE = (
    "the paper counts the file, and ours are its reviews of fewer than 400 words, which its recipe "
    "keeps"
)
OF_ALL_SPLITS = (
    "ours is the vocabulary of the model. The printed count is of the words of all splits, before "
    "texts are left out by length, and of four marks: on SST 16,171 + 4, on bAbI 36 + 4 of three tasks"
)
COUNTED_OTHERWISE: Mapping[Any, str] = {
    ("babi1", LENGTH): "the mean story of task 1 has 36 words; where the 8 is from is not known",
    (
        "babi2",
        LENGTH,
    ): "67 words are in the longest training story of task 1, and the mean story of task 2 has 94",
    (
        "babi3",
        LENGTH,
    ): (
        "421 words are in the longest training story of task 2, and the mean story of task 3 has "
        "302"
    ),
    **{("imdb", f"training texts{of}"): OF_THE_FILE for of in ("", " of class 0", " of class 1")},
    "words of the vocabulary": OF_ALL_SPLITS,
}
"""Printed counts of something else: of the lengths of bAbI in Table 1 two are longest stories, each
listed one task too late; training texts of IMDB are those of the file."""


COUNTED = (
    "words and lengths are counted in the texts used for training; training texts are counted as "
    "printed, with texts that the recipe keeps for validation if a corpus has none"
)


def sizes(data: DataSpec) -> Mapping[str, float]:
    """Count the words of the training texts, the words per text, and the training and test texts by
    class.
    """
    corpus = load(data, 0)
    names = _classes(corpus.label_names)
    lengths = [len(text.tokens) for text in corpus.train]
    return {
        "words of the vocabulary": len(fit_vocabulary(corpus, data).words),
        LENGTH: float(np.mean(lengths)),
        **({} if names else {LONGEST: max(lengths)}),
        **_by_class("training", _training(corpus, data), names),
        **_by_class("test", corpus.test, names),
    }


def totals(data: DataSpec) -> Mapping[str, float]:
    """Count the texts of training and test."""
    corpus = load(data, 0)
    return {"training texts": len(_training(corpus, data)), "test texts": len(corpus.test)}


def _training(corpus: Dataset, data: DataSpec) -> Split:
    """Return the training texts as the papers count them."""
    if data.kind in OWN_VALIDATION or data.options().get("task") == "diabetes":
        return corpus.train
    return (*corpus.train, *corpus.validation)


def words(data: DataSpec) -> Mapping[str, float]:
    """Count the words of the training texts, and the words per text."""
    return {name: value for name, value in sizes(data).items() if name.startswith("words")}


def _classes(labels: Sequence[str]) -> Sequence[str]:
    """Name the classes that are counted one by one, in the order of their numbers.

    Two classes have their numbers as names, as in the papers. Three have their labels: Table 1 of
    Jain & Wallace prints SNLI's counts from the smallest to the largest, its Table 2 by the numbers
    of the classes.
    """
    if len(labels) > MOST:
        return ()
    return labels if len(labels) == MOST else [f"class {number}" for number in range(len(labels))]


def _by_class(split: str, texts: Split, names: Sequence[str]) -> dict[str, float]:
    if not names:
        return {f"{split} texts": len(texts)}
    found = Counter(text.label for text in texts)
    return {f"{split} texts of {name}": found[number] for number, name in enumerate(names)}
