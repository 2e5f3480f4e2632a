"""Large Movie Review Dataset v1.0 (Maas et al. 2011): one review in each file,
``aclImdb/train/pos/0_9.txt``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from sightline.data.assembly.corpus import Corpus, Text
from sightline.data.assembly.corpus_format import Format, PaperRecipe, Recipe
from sightline.data.assembly.corpus_tokeniser import WordCutter
from sightline.data.corpora.jain_wallace_cleaning import LONGEST_LOST, draw, keras_words
from sightline.data.corpora.numbered_files import Numbered
from sightline.data.readers.archives import File

LABELS = ("negative", "positive")
PUBLISHED = {f"{split}, {label}": 12_500 for split in ("train", "test") for label in LABELS}
EXPECTED = "the reviews train/pos/ID_SCORE.txt, train/neg/…, test/pos/… and test/neg/… of aclImdb"
SEED = 1378
LONGEST = 400
_REVIEW = re.compile(
    r"(?:^|/)(?P<split>train|test)/(?P<label>pos|neg)/(?P<id>\d+)_(?P<score>\d+)\.txt$"
)
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)


REVIEWS = Numbered(_REVIEW, ("neg", "pos"), LABELS, PUBLISHED, EXPECTED, "reviews")


def read(path: str, options: Mapping[str, Any], recipe: Recipe) -> Corpus:
    """Read all labelled reviews."""
    cutter = WordCutter()

    def text_of(file: File, match: re.Match[str], label: int) -> Text:
        cut = _words(file.text(), recipe, cutter)
        return Text(f"imdb/{match[0].lstrip('/')}", match["split"], label, *cut, file.shown, 1)

    texts, found = REVIEWS.read(path, text_of)
    return Corpus(tuple(texts), LABELS, found, PUBLISHED)


def _words(
    text: str, recipe: Recipe, cutter: WordCutter
) -> tuple[str, tuple[str, ...], tuple[tuple[int, int], ...]]:
    if recipe == "paper":
        return cutter.join(keras_words(text))
    text = _BREAK.sub(" ", text)
    return (text, *cutter.cut(text))


def divide(texts: Sequence[Text]) -> list[str]:
    """Drop long reviews; use a fifth of training for validation, and only a fifth of the test
    reviews.
    """
    names = ["" if len(text.tokens) >= LONGEST else text.split for text in texts]
    train, test = (
        [place for place, name in enumerate(names) if name == split] for split in ("train", "test")
    )
    for drawn in draw(len(train), 0.2, SEED):
        names[train[drawn]] = "validation"
    kept = {test[drawn] for drawn in draw(len(test), 0.2, SEED)}
    for place in test:
        names[place] = "test" if place in kept else ""
    return names


FORMAT = Format(
    wanted=REVIEWS.wanted,
    read=read,
    paper=PaperRecipe(
        min_count=10,
        divide=divide,
        lengths=(6, None),
        quirks=(
            (
                f"reviews of {LONGEST} words or more are left out, four fifths of the test "
                "reviews are not used"
            ),
            "reviews that are both in training and in test are kept in both",
            "line breaks are the word br, as in the Keras word index",
            (
                "words are cut as Keras describes it; its own file of numbered words, and so its "
                "order, is not at hand"
            ),
            LONGEST_LOST,
        ),
    ),
)
