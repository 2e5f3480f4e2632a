"""The text cleaning and splits of Jain & Wallace, reimplemented from a description of their code."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np

from sightline.core.tokeniser import tokenise
from sightline.data.assembly.corpus import Text
from sightline.data.assembly.corpus_format import Divide

NUMBER = "qqq"
"""Replaces every word that contains a digit."""
OUR_WORDS = (
    "words are cut by our own rules, where the papers had spaCy 2.1; a word with a digit in it "
    "becomes qqq"
)
"""Describes `general` among the quirks of a recipe."""
VALIDATION, VALIDATION_SEED = 0.15, 16377
"""The share of the training texts that validate, and the seed that draws them."""
LONGEST_LOST = (
    "the longest text of each split is dropped, because the longest length seen is itself the bound"
)


def general(text: str) -> list[str]:
    """Tokenise a text of AG News, SNLI or 20 Newsgroups: lower case, with `NUMBER` for every word
    with a digit.

    `tokenise` splits the words; the paper used spaCy 2.1.
    """
    return [NUMBER if any(map(str.isdigit, token)) else token for token in tokenise(text)[0]]


def split_signs(tokens: Sequence[str]) -> list[str]:
    """Split words further, so that each run of signs is separate: ``don't`` becomes ``don ' t``."""
    return [piece for token in tokens for piece in re.findall(r"\w+|[^\w\s]+", token)]


_KERAS = str.maketrans(dict.fromkeys('!"#$%&()*+,-./:;<=>?@[\\]^_`{|}~\t\n\r', " "))


def keras_words(text: str) -> list[str]:
    """Tokenise a review as the Keras word index does: lower case, with all signs except the
    apostrophe as blanks.
    """
    return text.lower().translate(_KERAS).split()


def draw(n: int, share: float, seed: int) -> np.ndarray:
    """Draw ⌈share · n⌉ of n indices, as scikit-learn's unstratified `train_test_split` does: the
    head of a shuffle.
    """
    return np.random.RandomState(seed).permutation(n)[: math.ceil(share * n)]


def draw_by_class(labels: Sequence[int], share: float, seed: int) -> list[int]:
    """Draw a share of each class; the exact texts of scikit-learn's stratified draw are not
    reproduced.
    """
    places: dict[int, list[int]] = defaultdict(list)
    for place, label in enumerate(labels):
        places[label].append(place)
    generator = np.random.RandomState(seed)
    return [
        int(one)
        for label in sorted(places)
        for one in generator.permutation(places[label])[: round(share * len(places[label]))]
    ]


def as_published(texts: Sequence[Text]) -> list[str]:
    """Follow the published splits."""
    return [text.split for text in texts]


def validation_of_training(before: Divide = as_published) -> Divide:
    """Make a rule that draws validation texts from training, regardless of class, and keeps the
    other splits.
    """

    def divide(texts: Sequence[Text]) -> list[str]:
        names = before(texts)
        train = [place for place, name in enumerate(names) if name == "train"]
        for drawn in draw(len(train), VALIDATION, VALIDATION_SEED):
            names[train[drawn]] = "validation"
        return names

    return divide


def drawn_by_class(parts: Mapping[str, tuple[float, int]]) -> Divide:
    """Make a rule that pools all texts, and draws for each split a share of the remaining texts of
    each class.

    ``parts`` gives the share and the seed of each split, in drawing order.
    """

    def divide(texts: Sequence[Text]) -> list[str]:
        names = ["train"] * len(texts)
        for split, (share, seed) in parts.items():
            left = [place for place, name in enumerate(names) if name == "train"]
            for drawn in draw_by_class([texts[place].label for place in left], share, seed):
                names[left[drawn]] = split
        return names

    return divide
