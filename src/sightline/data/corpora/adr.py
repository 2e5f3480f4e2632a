"""Tweets about drugs: does a tweet report an adverse reaction? ``tweet id<TAB>user id<TAB>0 or
1<TAB>text``, no header.

Nikfarjam et al. 2015, Sarker & Gonzalez 2015. Only ids and labels are published; users fetch the
texts themselves. A header is accepted as well; quotes are ordinary characters.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sightline.core.error_excerpts import list_names, show
from sightline.core.errors import DataError
from sightline.data.assembly.corpus import Corpus, Text
from sightline.data.assembly.corpus_format import Format, PaperRecipe, Recipe
from sightline.data.assembly.corpus_tokeniser import WordCutter
from sightline.data.corpora.corpus_files import base, check_complete, found_files, named_like
from sightline.data.corpora.jain_wallace_cleaning import (
    OUR_WORDS,
    drawn_by_class,
    general,
    validation_of_training,
)
from sightline.data.readers.archives import File
from sightline.data.readers.table_columns import SPLIT_NAMES

LABELS = ("no reaction", "reaction")
PUBLISHED = {"tweets": 21_254}
"""The number of tweets that Jain & Wallace had; fewer can be fetched each year."""
EXPECTED = (
    "a table of tweets, such as adr.tsv, or train.tsv and test.tsv (and dev.tsv where there is one)"
)
_FILE = re.compile(r"^(?!.*(?:readme|licen[cs]e)).*\.(?:tsv|txt)$", re.IGNORECASE)
_SPLIT = re.compile(rf"(?<![a-z])({'|'.join(SPLIT_NAMES)})(?![a-z])", re.IGNORECASE)
_NAMES = {
    "label": ("label", "class"),
    "text": ("text", "tweet"),
    "user": ("user_id", "userid", "user"),
}
GONE = "the text is no longer available"
NO_WORDS = "no words in the text"


@dataclass(frozen=True)
class _Layout:
    """The number of fields in a line, and the meaning of each."""

    fields: int
    label: int
    text: int
    user: int | None


_AS_PUBLISHED = _Layout(fields=4, label=2, text=3, user=1)


@dataclass(frozen=True)
class Tweet:
    """One tweet: its author, its text, and 1 if it reports a reaction."""

    line: int
    user: str
    label: int
    text: str


wanted = named_like(_FILE)
"""Selects the files to read."""


def read(path: str, options: Mapping[str, Any], recipe: Recipe) -> Corpus:
    """Read every table of tweets; if one table names a split, all must."""
    cutter, dropped, files = WordCutter(), Counter[str](), dict[str, str]()
    texts, found = list[Text](), 0
    for file in found_files(path, wanted(options), EXPECTED):
        files[file.shown] = split = _split(file)
        for tweet in read_tweets(file):
            found += 1
            cut = cutter.by(recipe, tweet.text, general)
            if why := _left_out(tweet.text, cut[1]):
                dropped[why] += 1
                continue
            name, user = f"adr/{base(file.name)}:{tweet.line}", tweet.user and f"user {tweet.user}"
            texts.append(Text(name, split, tweet.label, *cut, file.shown, tweet.line, group=user))
    _check_splits(path, files)
    return Corpus(tuple(texts), LABELS, {"tweets": found}, PUBLISHED, dropped)


def _left_out(text: str, tokens: tuple[str, ...]) -> str:
    """Explain why a tweet is left out; the fetching script writes "not available" for deleted
    tweets.
    """
    if text.strip().casefold() == "not available":
        return GONE
    return "" if tokens else NO_WORDS


def _split(file: File) -> str:
    found = _SPLIT.search(base(file.name))
    return SPLIT_NAMES[found[1].lower()] if found else ""


def _check_splits(path: str, files: Mapping[str, str]) -> None:
    """Refuse training texts without test texts, and a file that names no split when others do."""
    if not any(files.values()):
        return
    if loose := [shown for shown, split in files.items() if not split]:
        raise DataError(
            f"other files here name a split ({EXPECTED}), and this one does not; move it away",
            loose[0],
        )
    check_complete(path, ("train", "test"), files.values(), EXPECTED)


def read_tweets(file: File) -> Iterator[Tweet]:
    """Yield the tweets of a file; its first line may name the columns, in upper or lower case."""
    layout = None
    for number, line in file.lines():
        if not line.strip():
            continue
        fields = line.split("\t")
        if layout is None:
            layout = _layout(file, number, fields)
            if layout is not _AS_PUBLISHED:
                continue
        yield _tweet(file, number, fields, layout)


def _layout(file: File, number: int, fields: list[str]) -> _Layout:
    """Find the columns that the first line names; a line without column names is a tweet."""
    names = [field.strip().casefold() for field in fields]
    places = {
        what: [names.index(name) for name in known if name in names]
        for what, known in _NAMES.items()
    }
    if not places["label"] and not places["text"]:
        return _AS_PUBLISHED
    if missing := [what for what in ("label", "text") if not places[what]]:
        message = (
            f"expected a column {' or '.join(_NAMES[missing[0]])}, there are {list_names(fields)}; "
            "name it in the header"
        )
        raise DataError(message, file.shown, number)
    user = places["user"][0] if places["user"] else None
    return _Layout(len(fields), places["label"][0], places["text"][0], user)


def _tweet(file: File, number: int, fields: list[str], layout: _Layout) -> Tweet:
    if len(fields) != layout.fields:
        usual = (
            "tweet id<TAB>user id<TAB>0 or 1<TAB>text"
            if layout is _AS_PUBLISHED
            else "as in the header"
        )
        message = (
            f"expected {layout.fields} fields ({usual}), got {len(fields)}; a tweet has no tab or "
            "line break"
        )
        raise DataError(message, file.shown, number)
    if (label := fields[layout.label].strip()) not in ("0", "1"):
        raise DataError(
            f"expected the label 0 (no reaction) or 1, got {show(label)}; label it, or remove it",
            file.shown,
            number,
        )
    user = "" if layout.user is None else fields[layout.user].strip()
    return Tweet(number, user, int(label), fields[layout.text])


FORMAT = Format(
    wanted=wanted,
    read=read,
    paper=PaperRecipe(
        min_count=2,
        divide=validation_of_training(drawn_by_class({"test": (0.2, 13020)})),
        lengths=(5, 100),
        quirks=(
            (
                "tweets of one user, and copies of a tweet, may be in two splits; splits that "
                "files name are given up"
            ),
            OUR_WORDS,
            (
                "which tweets the papers had, and how they were cut, is not published: the draw "
                "differs from theirs"
            ),
        ),
    ),
    kept=False,  # tweets may not be passed on, and their authors may delete them
)
