"""AG's news topics: ``"class","title","description"`` on each line, no header. Zhang, Zhao & LeCun
2015.

Two classes as in the papers (World, Business; the description only), or all four (title and
description).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from sightline.core.errors import DataError, SpecError
from sightline.data.assembly.corpus import Corpus, Text
from sightline.data.assembly.corpus_format import Format, PaperRecipe, Recipe
from sightline.data.assembly.corpus_tokeniser import WordCutter
from sightline.data.corpora.corpus_files import (
    AGAIN,
    base,
    check_complete,
    found_files,
    named_like,
    whole_or_parts,
)
from sightline.data.corpora.jain_wallace_cleaning import OUR_WORDS, general, validation_of_training
from sightline.data.readers.archives import File
from sightline.data.readers.csv_jsonl import read_records

CLASSES = {
    2: {"1": "World", "3": "Business"},
    4: {"1": "World", "2": "Sports", "3": "Business", "4": "Sci/Tech"},
}
PUBLISHED = {2: {"train": 60_000, "test": 3_800}, 4: {"train": 120_000, "test": 7_600}}
EXPECTED = "train.csv (or parts of it, train_NAME.csv) and test.csv of AG News"
_FILE = re.compile(r"^(?:train(?:_\w+)?|test)\.csv$")
_JOINED = "title and description are joined, and the description alone is asked for"


wanted = named_like(_FILE)
"""Selects the files to read."""


def read(path: str, options: Mapping[str, Any], recipe: Recipe) -> Corpus:
    """Read test.csv, and train.csv or else its parts."""
    if (classes := options["classes"]) != 2 and recipe == "paper":
        raise SpecError(
            f"agnews: expected classes=2, or 4 with the clean recipe, got classes={classes}"
        )
    cutter, joined = WordCutter(), Counter[str]()
    read_files = {
        base(file.name): list(_texts(file, classes, recipe, cutter, joined))
        for file in found_files(path, wanted(options), EXPECTED)
    }
    train = whole_or_parts(read_files, r"^train\.csv$", r"^train_")
    check_complete(
        path, ["train.csv", "test.csv"], ["train.csv"] * bool(train) + list(read_files), EXPECTED
    )
    texts = tuple(text for name in [*train, "test.csv"] for text in read_files[name])
    found = Counter(text.split for text in texts)
    unused = sum(joined[name] for name in train)
    found["train"] += unused
    notes = (f"training texts from {', '.join(train)}",)
    return Corpus(
        texts, tuple(CLASSES[classes].values()), found, PUBLISHED[classes], {_JOINED: unused}, notes
    )


def _texts(
    file: File, classes: int, recipe: Recipe, cutter: WordCutter, joined: Counter[str]
) -> Iterator[Text]:
    names = list(CLASSES[classes])
    split = "test" if base(file.name) == "test.csv" else "train"
    for number, fields in read_news(file):
        if fields[0] not in names:
            continue
        if len(fields) == 2 and classes == 2:
            joined[base(file.name)] += 1
            continue
        text = fields[-1] if classes == 2 else " ".join(fields[1:])
        cut = cutter.by(recipe, text, general)
        name = f"agnews/{base(file.name)}:{number}"
        yield Text(name, split, names.index(fields[0]), *cut, file.shown, number)


def read_news(file: File) -> Iterator[tuple[int, list[str]]]:
    """Yield the first line number of each row, and its class with title and description, or with
    both joined.
    """
    for start, row in read_records(file.shown, file.ended_lines(), ",", AGAIN):
        if len(row) not in (2, 3) or row[0] not in CLASSES[4]:
            raise DataError(
                f'expected "1" to "4","title","description", got {_short(row)}', file.shown, start
            )
        yield start, row


def _short(row: list[str]) -> str:
    return f"{len(row)} fields" if len(row) not in (2, 3) else f"the class {row[0][:20]!r}"


FORMAT = Format(
    wanted=wanted,
    read=read,
    paper=PaperRecipe(
        min_count=5,
        divide=validation_of_training(),
        lengths=(None, None),
        quirks=(
            "the title is not used",
            OUR_WORDS,
            "copies of a text may be in two splits",
            (
                "the shortest and the longest text of each split are dropped: the lengths seen "
                "are themselves the bounds"
            ),
        ),
    ),
)
