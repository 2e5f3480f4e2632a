"""CNN news: attention reads an article, the query is a sentence with ``@placeholder``, and the
answer is an entity.

Hermann et al. 2015. Each file holds one question: its address, the article, the question, the
answer and the names of entities (``@entity7:NAME``), separated by empty lines. Names are not used:
the article must show who an entity is.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sightline.core.error_excerpts import show
from sightline.core.errors import DataError
from sightline.core.interning import Span
from sightline.data.assembly.corpus import Corpus, Text
from sightline.data.assembly.corpus_format import Format, PaperRecipe, Recipe
from sightline.data.assembly.corpus_tokeniser import WordCutter
from sightline.data.corpora.corpus_files import AGAIN, base, check_complete, found_files
from sightline.data.corpora.jain_wallace_cleaning import as_published
from sightline.data.readers.archives import File, FileFilter

PUBLISHED = {"train": 380_298, "validation": 3_924, "test": 3_198}
SPLITS = {"training": "train", "validation": "validation", "test": "test"}
EXPECTED = "training/NAME.question, validation/NAME.question and test/NAME.question of CNN"
BLANK = "@placeholder"
NOT_IN_TEXT, NOT_IN_TRAINING = "answer not in the text", "answer not in training"
_FILE = re.compile(r"(?:^|/)(?P<split>training|validation|test)/(?P<id>[^/]+)\.question$")
_ENTITY = re.compile(r"@entity\d{1,6}")
_NAMED = re.compile(r"(@entity\d{1,6}):.*")
_PARTS = {0: "the address of the article", 2: "the article", 4: "the question", 6: "the answer"}
"""The content of each line, from 0; the lines in between are empty, and names of entities follow."""


@dataclass(frozen=True)
class Question:
    """The content of one file: article, question, the entity that is the answer, and all entities."""

    address: str
    article: str
    query: str
    answer: str
    entities: frozenset[str]


@dataclass(frozen=True)
class _Read:
    """A tokenised question."""

    split: str
    name: str
    file: str
    address: str
    answer: str
    words: tuple[str, tuple[str, ...], tuple[Span, ...]]
    query: tuple[str, ...]
    inside: tuple[str, ...]
    """The entities of the article."""


def wanted(options: Mapping[str, Any]) -> FileFilter:
    """Select the files to read."""
    return lambda name: _FILE.search(name) is not None


def read(path: str, options: Mapping[str, Any], recipe: Recipe) -> Corpus:
    """Read all questions, ordered by split and name, and number the entities of training articles."""
    cutter, seen = WordCutter(), dict[tuple[str, str], _Read]()
    for file in found_files(path, wanted(options), EXPECTED):
        match = _FILE.search(file.name)
        assert match is not None  # selected by this pattern
        key = match["split"], match["id"]
        if key in seen:
            raise DataError(
                "two questions have this name; name the folder of one corpus", file.shown
            )
        seen[key] = _cut(file, SPLITS[match["split"]], cutter)
    order = list(SPLITS)
    read_all = [seen[key] for key in sorted(seen, key=lambda key: (order.index(key[0]), key[1]))]
    check_complete(path, SPLITS, sorted({split for split, _ in seen}), EXPECTED)
    return _corpus(read_all)


def _cut(file: File, split: str, cutter: WordCutter) -> _Read:
    """Split article and question at blanks: both are published tokenised."""
    question = read_question(file.text(), file.shown)
    words = cutter.join(question.article.split())
    inside = tuple(token for token in set(words[1]) if _ENTITY.fullmatch(token))
    query = cutter.join(question.query.split())[1]
    name, answer = f"cnn/{split}/{base(file.name)}", sys.intern(question.answer)
    return _Read(split, name, file.shown, question.address, answer, words, query, inside)


def _corpus(questions: list[_Read]) -> Corpus:
    """Turn questions into texts; a question with an impossible answer is counted and left out."""
    known = {entity for one in questions if one.split == "train" for entity in one.inside}
    labels = tuple(sorted(known, key=lambda entity: int(entity.removeprefix("@entity"))))
    numbers = {entity: number for number, entity in enumerate(labels)}
    texts, found, dropped = list[Text](), Counter[str](), Counter[str]()
    for one in questions:
        found[one.split] += 1
        if why := _left_out(one, known):
            dropped[f"{why}, in {one.split}"] += 1
            continue
        answers = tuple(sorted(numbers[entity] for entity in one.inside if entity in known))
        about = (one.split, numbers[one.answer], *one.words, one.file, 1)
        texts.append(Text(one.name, *about, one.query, group=one.address, answers=answers))
    notes = (
        (
            f"answers are among the {len(labels)} entities of training articles, of each text "
            "among its own"
        ),
    )
    return Corpus(tuple(texts), labels, found, PUBLISHED, dropped, notes)


def _left_out(one: _Read, known: set[str]) -> str:
    if one.answer not in one.inside:
        return NOT_IN_TEXT
    return "" if one.answer in known else NOT_IN_TRAINING


def read_question(text: str, shown: str) -> Question:
    """Parse one file; errors name the line of a misplaced part."""
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").rstrip("\n").split("\n")
    for place, what in _PARTS.items():
        if place >= len(lines) or not lines[place].strip():
            raise DataError(f"expected {what}, got nothing; {AGAIN}", shown, place + 1)
        if place + 1 < len(lines) and lines[place + 1].strip():
            message = f"expected an empty line after {what}, got {show(lines[place + 1])}; {AGAIN}"
            raise DataError(message, shown, place + 2)
    address, article, query, answer = (lines[place].strip() for place in _PARTS)
    if query.split().count(BLANK) != 1:
        found = query.split().count(BLANK)
        raise DataError(
            f"expected a question with one {BLANK}, got {found} in {show(query)}; {AGAIN}", shown, 5
        )
    entities = _entities(lines[8:], shown)
    if answer not in entities:
        message = (
            f"expected as answer one of the {len(entities)} entities below, got {show(answer)}; "
            f"{AGAIN}"
        )
        raise DataError(message, shown, 7)
    return Question(address, article, query, answer, entities)


def _entities(lines: list[str], shown: str) -> frozenset[str]:
    """Read the set of entities; their names, which may contain anything, are ignored."""
    found = set[str]()
    for number, line in enumerate(lines, start=9):
        match = _NAMED.fullmatch(line)
        if match is None:
            raise DataError(f"expected @entityN:NAME, got {show(line)}; {AGAIN}", shown, number)
        if match[1] in found:
            raise DataError(f"{match[1]} is named twice; {AGAIN}", shown, number)
        found.add(match[1])
    return frozenset(found)


FORMAT = Format(
    wanted=wanted,
    read=read,
    paper=PaperRecipe(
        min_count=8,
        divide=as_published,
        lengths=None,
        quirks=(
            "the answers of all texts share one space, the entities of training articles, "
            "though their numbers mean something else in each article",
            "entities have the numbers of the published files; those of the papers came from "
            "Chen et al. 2016, who had the same questions",
            (
                "an entity in fewer than 8 training texts is an unknown word, where the papers "
                "knew every entity"
            ),
        ),
    ),
    kept=False,  # reading a cache would take as long, and gigabytes of disk
)
