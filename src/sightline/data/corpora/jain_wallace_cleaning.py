"""How Jain & Wallace cleaned texts and drew splits, from the description of their code; nothing
here is theirs.
"""

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
"""What stands for every word with a digit in it."""
OUR_WORDS = (
    "words are cut by our own rules, where the papers had spaCy 2.1; a word with a digit in it "
    "becomes qqq"
)
"""What is to be known of `general`, among the quirks of a recipe."""
LONGEST_LOST = (
    "the longest text of each split is dropped, because the longest length seen is itself the bound"
)


def general(text: str) -> list[str]:
    """Cut a text of AG News, SNLI or 20 Newsgroups: lower case, every word with a digit becomes
    `NUMBER`.

    The words are cut by `tokenise`, where they used spaCy 2.1.
    """
    return [NUMBER if any(map(str.isdigit, token)) else token for token in tokenise(text)[0]]


def apart(tokens: Sequence[str]) -> list[str]:
    """Cut words once more, so that each run of signs stands alone: ``don't`` becomes ``don '
    t``.
    """
    return [piece for token in tokens for piece in re.findall(r"\w+|[^\w\s]+", token)]


_KERAS = str.maketrans(dict.fromkeys('!"#$%&()*+,-./:;<=>?@[\\]^_`{|}~\t\n\r', " "))


def keras_words(text: str) -> list[str]:
    """Cut a review as the Keras word index had it: signs but the apostrophe become blanks, lower
    case.
    """
    return text.lower().translate(_KERAS).split()


def draw(n: int, share: float, seed: int) -> np.ndarray:
    """Draw ⌈share · n⌉ of n places, as scikit-learn's `train_test_split` without strata does: the
    head of a shuffle.
    """
    return np.random.RandomState(seed).permutation(n)[: math.ceil(share * n)]


def draw_by_class(labels: Sequence[int], share: float, seed: int) -> list[int]:
    """Draw a share of each class; which texts scikit-learn's stratified draw takes is not
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


def validation_of_training(share: float, seed: int, before: Divide = as_published) -> Divide:
    """Make a rule that draws validation texts from training, regardless of class, and follows the
    rest.
    """

    def divide(texts: Sequence[Text]) -> list[str]:
        names = before(texts)
        train = [place for place, name in enumerate(names) if name == "train"]
        for drawn in draw(len(train), share, seed):
            names[train[drawn]] = "validation"
        return names

    return divide


def drawn_by_class(parts: Mapping[str, tuple[float, int]]) -> Divide:
    """Make a rule that puts all texts together, and draws split by split a share of each class that
    is left.

    ``parts`` has the share and the seed of each split, in the order in which they are drawn.
    """

    def divide(texts: Sequence[Text]) -> list[str]:
        names = ["train"] * len(texts)
        for split, (share, seed) in parts.items():
            left = [place for place, name in enumerate(names) if name == "train"]
            for drawn in draw_by_class([texts[place].label for place in left], share, seed):
                names[left[drawn]] = split
        return names

    return divide
