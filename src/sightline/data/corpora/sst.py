"""Stanford Sentiment Treebank: one tree on each line, ``(3 (2 It) (4 works))``, its root labelled 0
to 4.

Socher et al. 2013. Neutral sentences (2) are left out; 0 and 1 are negative, 3 and 4 positive.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from sightline.core.error_excerpts import show
from sightline.core.errors import DataError
from sightline.data.assembly.corpus import Corpus, Text
from sightline.data.assembly.corpus_format import Format, PaperRecipe, Recipe
from sightline.data.assembly.corpus_tokeniser import WordCutter
from sightline.data.corpora.corpus_files import base, check_complete, found_files
from sightline.data.corpora.jain_wallace_cleaning import LONGEST_LOST, as_published
from sightline.data.readers.archives import FileFilter

LABELS = ("negative", "positive")
SPLITS = {"train.txt": "train", "dev.txt": "validation", "test.txt": "test"}
PUBLISHED = {"train": 8544, "validation": 1101, "test": 2210}
EXPECTED = "train.txt, dev.txt and test.txt of the treebank"
_BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}
_TOKEN = re.compile(r"\(|\)|[^\s()]+")


def wanted(options: Mapping[str, Any]) -> FileFilter:
    """Select the files to read."""
    return lambda name: base(name) in SPLITS


def read(path: str, options: Mapping[str, Any], recipe: Recipe) -> Corpus:
    """Read the three files."""
    cutter, found, neutral = WordCutter(), Counter[str](), Counter[str]()
    texts: dict[str, list[Text]] = {}
    for file in found_files(path, wanted(options), EXPECTED):
        split = SPLITS[base(file.name)]
        if split in texts:
            raise DataError(
                f"there is a second {base(file.name)}; name the folder of one treebank", file.shown
            )
        texts[split] = []
        for number, line in file.lines():
            if not line.strip():
                continue
            score, leaves = read_tree(line, file.shown, number)
            found[split] += 1
            if score == 2:
                neutral[split] += 1
                continue
            text, tokens, offsets = cutter.join(
                _clean(leaves) if recipe == "clean" else _paper(leaves)
            )
            name = f"sst/{base(file.name)}:{number}"
            texts[split].append(
                Text(name, split, int(score > 2), text, tokens, offsets, file.shown, number)
            )
    check_complete(
        path, SPLITS, [name for name, split in SPLITS.items() if split in texts], EXPECTED
    )
    ordered = tuple(text for split in SPLITS.values() for text in texts[split])
    return Corpus(
        ordered,
        LABELS,
        {split: found[split] for split in PUBLISHED},
        PUBLISHED,
        {f"neutral in {split}": neutral[split] for split in SPLITS.values()},
    )


def read_tree(line: str, file: str, number: int) -> tuple[int, list[str]]:
    """Give the root's label and the leaves of a tree; errors describe the bracket mistake."""
    depth, leaves, score = 0, list[str](), ""
    for kind, token in _steps(line):
        if depth == 0 and (kind != "open" or score):
            raise DataError(
                f"expected one tree, as (3 (2 It) (4 works)), got {show(line)}", file, number
            )
        if kind == "open":
            score = score or token
            if token not in "01234" or len(token) != 1:
                raise DataError(
                    f"expected a label from 0 to 4 after a bracket, got {show(token)}", file, number
                )
            depth += 1
        elif kind == "close":
            depth -= 1
        else:
            leaves.append(token)
    if depth or not leaves:
        what = f"{depth} brackets do not close" if depth else "it has no words"
        raise DataError(
            f"expected a tree whose brackets close, got {show(line)}: {what}", file, number
        )
    return int(score), leaves


def _steps(line: str) -> Iterator[tuple[str, str]]:
    """Yield an opening bracket with its label, a closing bracket, or a word."""
    tokens = iter(_TOKEN.findall(line))
    for token in tokens:
        if token == "(":
            yield "open", next(tokens, "")
        elif token == ")":
            yield "close", token
        else:
            yield "word", token


def _clean(leaves: list[str]) -> list[str]:
    """Keep the treebank's own words, restoring brackets."""
    return [_BRACKETS.get(leaf, leaf).replace("\\/", "/") for leaf in leaves]


def _paper(leaves: list[str]) -> list[str]:
    """Drop brackets, replace all non-word characters by blanks, and split at blanks."""
    kept = " ".join(leaf for leaf in leaves if leaf not in ("-LRB-", "-RRB-"))
    return re.sub(r"\W", " ", kept).lower().split()


FORMAT = Format(
    wanted=wanted,
    read=read,
    paper=PaperRecipe(
        min_count=1,
        divide=as_published,
        lengths=(5, None),
        quirks=(
            "signs are taken out before words are cut, so n't is two words",
            LONGEST_LOST,
        ),
    ),
)
