"""Stanford Natural Language Inference (Bowman et al. 2015): attention reads the premise, the
hypothesis is the query.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from sightline.core.errors import DataError
from sightline.data.assembly.corpus import Corpus, Text
from sightline.data.assembly.corpus_format import Format, PaperRecipe, Recipe
from sightline.data.assembly.corpus_tokeniser import WordCutter
from sightline.data.corpora.corpus_files import (
    base,
    check_complete,
    found_files,
    named_like,
    whole_or_parts,
)
from sightline.data.corpora.jain_wallace_cleaning import OUR_WORDS, as_published, general
from sightline.data.readers.archives import File
from sightline.data.readers.csv_jsonl import read_objects
from sightline.data.readers.table_columns import not_a_character

LABELS = ("contradiction", "entailment", "neutral")
PUBLISHED = {"train": 549_367, "validation": 9_842, "test": 9_824}
EXPECTED = (
    "snli_1.0_train.jsonl (or a part of it, snli_1.0_train_NAME.jsonl), snli_1.0_dev.jsonl and "
    "snli_1.0_test.jsonl"
)
_FILE = re.compile(r"^snli_1\.0_(?P<split>train|dev|test)(?:_\w+)?\.jsonl$")
_SPLITS = {"train": "train", "dev": "validation", "test": "test"}
NO_LABEL = "no gold label"
_KEYS = ("gold_label", "sentence1", "sentence2")


wanted = named_like(_FILE)
"""Selects the files to read."""


def read(path: str, options: Mapping[str, Any], recipe: Recipe) -> Corpus:
    """Read the pairs with a gold label; the others are counted."""
    cutter, unlabelled = WordCutter(), Counter[str]()
    files = {
        base(file.name): list(_pairs(file, recipe, cutter, unlabelled))
        for file in found_files(path, wanted(options), EXPECTED)
    }
    chosen = {split: _choose(files, split) for split in _SPLITS}
    check_complete(path, _SPLITS, [split for split, names in chosen.items() if names], EXPECTED)
    texts = tuple(text for names in chosen.values() for name in names for text in files[name])
    dropped = {
        f"{NO_LABEL} in {_SPLITS[s]}": sum(unlabelled[name] for name in names)
        for s, names in chosen.items()
    }
    found = Counter(text.split for text in texts)
    notes = (f"training pairs from {', '.join(chosen['train'])}",)
    return Corpus(texts, LABELS, found, PUBLISHED, dropped, notes)


def _choose(names: Mapping[str, Any], split: str) -> list[str]:
    return whole_or_parts(names, rf"^snli_1\.0_{split}\.jsonl$", rf"^snli_1\.0_{split}_")


def _pairs(
    file: File, recipe: Recipe, cutter: WordCutter, unlabelled: Counter[str]
) -> Iterator[Text]:
    match = _FILE.match(base(file.name))
    assert match is not None  # selected by this pattern
    for number, item in read_objects(file):
        label, premise, hypothesis = (_field(item, key, file, number) for key in _KEYS)
        if label == "-":
            unlabelled[base(file.name)] += 1
            continue
        if label not in LABELS:
            names = ", ".join(LABELS)
            raise DataError(
                f"expected gold_label to be one of {names}, -; got {label[:30]!r}",
                file.shown,
                number,
            )
        yield Text(
            f"snli/{match['split']}:{number}",
            _SPLITS[match["split"]],
            LABELS.index(label),
            *cutter.by(recipe, premise, general),
            file.shown,
            number,
            cutter.shared(general(hypothesis), ())[0]
            if recipe == "paper"
            else cutter.cut(hypothesis)[0],
            query_text=None if recipe == "paper" else hypothesis,
        )


def _field(item: Mapping[str, Any], key: str, file: File, number: int) -> str:
    value = item.get(key)
    if not isinstance(value, str):
        raise DataError(
            f"expected a text as {key}, got {str(value)[:30]}; fetch the file again",
            file.shown,
            number,
        )
    if bad := not_a_character(value):
        raise DataError(
            f"the text holds {bad}, which is no character; fetch the file again", file.shown, number
        )
    return value


FORMAT = Format(
    wanted=wanted,
    read=read,
    paper=PaperRecipe(
        min_count=3,
        divide=as_published,
        lengths=None,
        quirks=(OUR_WORDS,),
    ),
)
