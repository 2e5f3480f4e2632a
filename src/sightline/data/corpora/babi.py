"""bAbI tasks 1 to 3 (Weston et al. 2016): attention reads a story, the query is a question, and the
answer is one word.

``ID statement``, or ``ID question<TAB>answer<TAB>supporting IDs``; IDs restart at 1 with every
story.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from sightline.core.errors import DataError
from sightline.core.interning import Span
from sightline.core.tokeniser import tokenise
from sightline.data.assembly.corpus import Corpus, Text
from sightline.data.assembly.corpus_format import Format, PaperRecipe, Recipe
from sightline.data.assembly.corpus_tokeniser import WordCutter
from sightline.data.corpora.corpus_files import base, found_files
from sightline.data.corpora.jain_wallace_cleaning import validation_of_training
from sightline.data.readers.archives import File, FileFilter

FOLDERS = {"1k": ("en", 1_000), "10k": ("en-10k", 10_000)}
_LINE = re.compile(r"(\d{1,6}) (.*)")


@dataclass
class _Story:
    """The statements so far: their words in order, and the words of each line."""

    text: str = ""
    tokens: list[str] = field(default_factory=list)
    offsets: list[Span] = field(default_factory=list)
    words_of: dict[int, range] = field(default_factory=dict)

    def add(self, number: int, statement: str, joint: str) -> None:
        """Append a statement, after a joint unless it is the first."""
        for piece, line in ((joint if self.text else "", None), (statement, number)):
            tokens, spans = tokenise(piece)
            start, first = len(self.text), len(self.tokens)
            self.text += piece
            self.tokens += tokens
            self.offsets += [(start + one, start + other) for one, other in spans]
            if line is not None:
                self.words_of[line] = range(first, len(self.tokens))


@dataclass(frozen=True)
class AskedStory:
    """A question and its answer, with the preceding story and its first line."""

    line: int
    began: int
    text: str
    tokens: tuple[str, ...]
    offsets: tuple[Span, ...]
    query: tuple[str, ...]
    query_text: str | None
    answer: str
    rationale: tuple[bool, ...]


def wanted(options: Mapping[str, Any]) -> FileFilter:
    """Select the files to read: all three tasks, because the papers use one answer space for them."""
    return lambda name: _pattern(options).search(name) is not None


def _pattern(options: Mapping[str, Any]) -> re.Pattern[str]:
    folder, _ = FOLDERS[options["size"]]
    return re.compile(
        rf"(?:^|/){folder}/qa(?P<task>[123])_[^/]*_(?P<split>train|test)(?:_partial)?\.txt$"
    )


def read(path: str, options: Mapping[str, Any], recipe: Recipe) -> Corpus:
    """Read the questions of one task, and number their answers among all words."""
    pattern = _pattern(options)
    asked: dict[tuple[int, str], list[tuple[File, list[AskedStory]]]] = {}
    folder, n = FOLDERS[options["size"]]
    expected = (
        f"{folder}/qa{options['task']}_NAME_train.txt and "
        f"{folder}/qa{options['task']}_NAME_test.txt"
    )
    for file in found_files(path, wanted(options), expected):
        match = pattern.search(file.name)
        assert match is not None  # selected by this pattern
        if recipe == "paper" or int(match["task"]) == options["task"]:
            key = int(match["task"]), match["split"]
            asked.setdefault(key, []).append((file, list(read_questions(file, recipe))))
    mine = {split: _whole(asked.get((options["task"], split), [])) for split in ("train", "test")}
    if missing := [split for split, files in mine.items() if not files]:
        raise DataError(f"expected {expected}, plain or .gz; no {missing[0]} file was found", path)
    answers = _answers(asked if recipe == "paper" else {(options["task"], "train"): mine["train"]})
    return _corpus(mine, answers, {"train": n, "test": 1_000}, sorted({task for task, _ in asked}))


def _whole(files: list[tuple[File, list[AskedStory]]]) -> list[tuple[File, list[AskedStory]]]:
    """Prefer the whole file to a part of it."""
    return [one for one in files if "_partial" not in base(one[0].name)] or files


def _answers(
    asked: Mapping[tuple[int, str], list[tuple[File, list[AskedStory]]]],
) -> tuple[str, ...]:
    """Collect the words of training stories and questions: any of them may be the answer."""
    known: set[str] = set()
    for (_, split), files in asked.items():
        for question in (one for _, questions in files for one in questions if split == "train"):
            known.update(question.tokens, question.query)
    return tuple(sorted(word for word in known if word.isalnum()))


def _corpus(
    asked: Mapping[str, list[tuple[File, list[AskedStory]]]],
    answers: tuple[str, ...],
    published: Mapping[str, int],
    tasks: list[int],
) -> Corpus:
    numbers = {word: number for number, word in enumerate(answers)}
    texts, found, unknown = list[Text](), Counter[str](), 0
    for split, file, one in (
        (split, file, one) for split, each in asked.items() for file, all_ in each for one in all_
    ):
        found[split] += 1
        if one.answer not in numbers:
            unknown += 1
            continue
        name, story = (f"babi/{base(file.name)}:{line}" for line in (one.line, one.began))
        label, words = numbers[one.answer], (one.text, one.tokens, one.offsets)
        texts.append(
            Text(
                name,
                split,
                label,
                *words,
                file.shown,
                one.line,
                one.query,
                one.rationale,
                story,
                query_text=one.query_text,
            )
        )
    note = (
        f"answers are among the {len(answers)} words of training in task "
        f"{', '.join(map(str, tasks))}"
    )
    files = f"training questions from {', '.join(base(file.name) for file, _ in asked['train'])}"
    return Corpus(
        tuple(texts), answers, found, published, {"answer not in training": unknown}, (note, files)
    )


def read_questions(file: File, recipe: Recipe) -> Iterator[AskedStory]:
    """Yield each question of a file with the statements before it."""
    cutter, story, last, began = WordCutter(), _Story(), 0, 1
    for number, line in file.lines():
        if not line.strip():
            continue
        if (match := _LINE.fullmatch(line)) is None:
            raise DataError(
                f"expected ID and text, as '1 Mary moved.', got {line[:40]!r}", file.shown, number
            )
        said = int(match[1])
        if said != last + 1 and said != 1:
            raise DataError(
                f"expected the number {last + 1}, or 1 for a new story, got {said}",
                file.shown,
                number,
            )
        story, began, last = (_Story(), number, said) if said == 1 else (story, began, said)
        if "\t" not in match[2]:
            statement = match[2].strip()
            statement_parts = (
                (statement.rstrip("."), " . ") if recipe == "paper" else (statement, " ")
            )
            story.add(said, *statement_parts)
            continue
        question, answer, facts = _asked(match[2], story, file, number)
        marked = {place for fact in facts for place in story.words_of[fact]}
        marks = tuple(place in marked for place in range(len(story.tokens)))
        query = tuple(word for word in tokenise(question)[0] if recipe == "clean" or word != "?")
        words = cutter.shared(story.tokens, story.offsets)
        asked = question if recipe == "clean" else None
        yield AskedStory(number, began, story.text, *words, query, asked, answer, marks)


def _asked(line: str, story: _Story, file: File, number: int) -> tuple[str, str, list[int]]:
    question, answer, *more = (piece.strip() for piece in line.split("\t"))
    facts = more[0].split() if len(more) == 1 else []
    if (
        not facts
        or not answer
        or not all(fact.isdecimal() and int(fact) in story.words_of for fact in facts)
    ):
        message = "question<TAB>answer<TAB>numbers of statements before it"
        raise DataError(f"expected {message}, got {line[:60]!r}", file.shown, number)
    return question, answer.lower(), [int(fact) for fact in facts]


FORMAT = Format(
    wanted=wanted,
    read=read,
    paper=PaperRecipe(
        min_count=1,
        divide=validation_of_training(),
        lengths=None,
        quirks=(
            (
                "the answers of all three tasks share one space: every word of their training "
                "stories and questions"
            ),
            "copies of a story with its question may be in two splits",
        ),
    ),
)
