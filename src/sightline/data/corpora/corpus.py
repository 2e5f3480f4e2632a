"""What a format gives: texts in the published order, what was left out, and the paper's recipe as a value."""

from __future__ import annotations

import hashlib
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from sightline.data.sources.packed import File, Wanted, open_files
from sightline.data.tokeniser import tokenise
from sightline.errors import DataError

Recipe = Literal["clean", "paper"]
Span = tuple[int, int]
Words = tuple[tuple[str, ...], tuple[Span, ...]]


@dataclass(frozen=True, slots=True)
class Text:
    """One text: ``name`` says where in the corpus it is, ``split`` is the published one, ``label`` a number."""

    name: str
    split: str
    label: int
    text: str
    tokens: tuple[str, ...]
    offsets: tuple[Span, ...]
    file: str
    line: int
    query: tuple[str, ...] | None = None
    rationale: tuple[bool, ...] | None = None


@dataclass(frozen=True)
class Corpus:
    """All texts of a corpus; ``found`` and ``published`` count its records by file, before anything was left out."""

    texts: tuple[Text, ...]
    label_names: tuple[str, ...]
    found: Mapping[str, int]
    published: Mapping[str, int]
    dropped: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    copies: tuple[int, ...] = ()
    """One number a text, the same for copies of it (`copy_number`)."""


_NO_LETTERS = re.compile(r"[\W_]+")


def copy_number(text: Text) -> int:
    """Number a text by its letters and digits, in order, whatever their case, and by those of its query.

    64 bits: among a million texts, two different ones share a number once in 10⁷ corpora.
    """
    letters = (_NO_LETTERS.sub("", text.text) or text.text).casefold()
    asked = "" if text.query is None else "\n" + "".join(text.query).casefold()
    return int.from_bytes(hashlib.blake2b((letters + asked).encode(), digest_size=8).digest())


Divide = Callable[[Sequence[Text]], list[str]]
"""Names a split for each text as a paper did; an empty name leaves the text out."""


@dataclass(frozen=True)
class PaperRecipe:
    """How Jain & Wallace prepared a corpus: ``shortest < n < longest`` words, None standing for the least or most seen.

    ``lengths`` is None where there was no filter; ``quirks`` are what one would not do again, in words.
    """

    min_count: int
    divide: Divide
    lengths: tuple[int | None, int | None] | None
    quirks: tuple[str, ...]


@dataclass(frozen=True)
class Format:
    """A published format: which files it reads and how, given its options, and the paper's recipe if any."""

    wanted: Callable[[Mapping[str, Any]], Wanted]
    read: Callable[[str, Mapping[str, Any], Recipe], Corpus]
    paper: PaperRecipe | None


class WordCutter:
    """Cut texts into words, keeping each word and each pair of offsets once: a corpus has millions, few different."""

    def __init__(self) -> None:
        self._spans: dict[Span, Span] = {}

    def cut(self, text: str) -> Words:
        """Cut as `tokenise` does."""
        return self.shared(*tokenise(text))

    def by(self, recipe: Recipe, text: str, paper: Callable[[str], Sequence[str]]) -> tuple[str, *Words]:
        """Cut a text as it is, or take the words that the paper's code had."""
        return self.join(paper(text)) if recipe == "paper" else (text, *self.cut(text))

    def join(self, tokens: Sequence[str]) -> tuple[str, tuple[str, ...], tuple[Span, ...]]:
        """Take words as they are: a text of them with blanks between, the words in lower case, and their places."""
        offsets, start = [], 0
        for token in tokens:
            offsets.append((start, start + len(token)))
            start += len(token) + 1
        return (" ".join(tokens), *self.shared(tuple(token.lower() for token in tokens), tuple(offsets)))

    def shared(self, tokens: Iterable[str], offsets: Iterable[Span]) -> Words:
        """Give the same values as objects that are kept once."""
        known = self._spans.setdefault
        return tuple(map(sys.intern, tokens)), tuple(known(span, span) for span in offsets)


def found_files(path: str, wanted: Wanted, expected: str) -> Iterable[File]:
    """Open the wanted files; none at all is an error that says what was expected and where it was looked for."""
    nothing = True
    for file in open_files(path, wanted):
        nothing = False
        yield file
    if nothing:
        raise DataError(f"expected {expected}, plain or .gz, in this folder or archive; found none of them", path)


@dataclass(frozen=True)
class Numbered:
    """A corpus of one text a file, whose name tells split, class and number (groups ``split``, ``label``, ``id``)."""

    pattern: re.Pattern[str]
    classes: tuple[str, ...]
    """The classes as file names have them, in the order of the labels."""
    labels: tuple[str, ...]
    published: Mapping[str, int]
    expected: str
    each: str
    """What a text is called, in the plural."""

    def wanted(self, options: Mapping[str, Any]) -> Wanted:
        """Say which files are read."""
        return lambda name: self.pattern.search(name) is not None

    def read(self, path: str, text_of: Callable[[File, re.Match[str], int], Text]) -> tuple[list[Text], Counter[str]]:
        """Read every text, in the order of split, class and number, however they were packed, and count them."""
        texts, found = dict[tuple[str, int, int], Text](), Counter[str]()
        for file in found_files(path, self.wanted({}), self.expected):
            match = self.pattern.search(file.name)
            assert match is not None  # it was wanted
            key = match["split"], self.classes.index(match["label"]), int(match["id"][:18])
            if key in texts:
                raise DataError(f"two {self.each} have this number; name the folder of one corpus", file.shown)
            texts[key] = text_of(file, match, key[1])
            found[f"{key[0]}, {self.labels[key[1]]}"] += 1
        if missing := [what for what in self.published if not found[what]]:
            raise DataError(f"expected {self.expected}; there is none for {missing[0]}", path)
        ordered = sorted(texts, key=lambda key: (key[0] == "test", key[1], key[2]))
        return [texts[key] for key in ordered], found


def check_complete(path: str, needed: Iterable[str], found: Iterable[str], expected: str) -> None:
    """Refuse a corpus of which a needed file is missing; the error names what is expected, found and missing."""
    there = list(found)
    if missing := [name for name in needed if name not in there]:
        raise DataError(f"expected {expected}, plain or .gz; found {', '.join(there)}, no {missing[0]}", path)


def whole_or_parts(names: Iterable[str], whole: str, part: str) -> list[str]:
    """Choose the whole file where it is there, else every part, by name; both are regular expressions."""
    there = list(names)
    chosen = [name for name in there if re.search(whole, name)]
    return chosen or sorted(name for name in there if re.search(part, name))


def base(name: str) -> str:
    """Give the last part of a name."""
    return Path(name).name


def check_characters(text: str, file: str, line: int) -> str:
    """Refuse what JSON can write and UTF-8 cannot hold."""
    if bad := re.search("[\0\ud800-\udfff]", text):
        raise DataError(f"the text holds {bad[0]!a}, which is no character; fetch the file again", file, line)
    return text
