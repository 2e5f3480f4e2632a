"""The intermediate form between files and a dataset: texts in file order, and what was left out."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from sightline.core.interning import Span

WHOLE = (0, 0)
"""The usual number of words cut from a text and its query: one shared tuple, since there may be
millions."""


@dataclass(frozen=True, slots=True)
class Text:
    """One text: its ``name`` in the corpus, its ``label`` as a number, and ``query`` and
    ``rationale`` if known.

    ``split`` is the split named in the files, empty if they name none. ``group`` is shared with
    other texts, for example the questions of one story.
    """

    name: str
    split: str
    label: int
    text: str
    tokens: tuple[str, ...]
    places: tuple[Span, ...] | None
    """The offsets of its words; None if `tokenise` can find them again."""
    file: str
    line: int
    query: tuple[str, ...] | None = None
    rationale: tuple[bool, ...] | None = None
    group: str = ""
    lost: tuple[int, int] = WHOLE
    """The number of words of the text and the query that were cut while reading."""
    answers: tuple[int, ...] | None = None
    """In a published corpus with queries, the labels that this text allows; None for all."""
    query_text: str | None = None
    """The query as written, of which ``query`` are the words; None if only these are known."""

    @property
    def lengths(self) -> tuple[int, int]:
        """The lengths of the text and its query before cutting."""
        return len(self.tokens) + self.lost[0], len(self.query or ()) + self.lost[1]


def count_cut_words(words: int, asked: int, longest: int) -> tuple[int, int]:
    """Count the words of a text and its query beyond the longest length."""
    beyond = max(0, words - longest), max(0, asked - longest)
    return beyond if any(beyond) else WHOLE


@dataclass(frozen=True)
class Corpus:
    """All texts of a corpus; ``found`` and ``published`` count its records by file, before any is
    left out.
    """

    texts: tuple[Text, ...]
    label_names: tuple[str, ...]
    found: Mapping[str, int] = field(default_factory=dict)
    published: Mapping[str, int] = field(default_factory=dict)
    dropped: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    copies: tuple[int, ...] = ()
    """For a published corpus, one number for each text, equal for copies (`copy_number`)."""
    columns: Mapping[str, str | None] = field(default_factory=dict)
    """For a table, the column that each field was read from."""
    splits_by: str = ""
    """For a table, a description of what names the splits, if anything does."""


_NO_LETTERS = re.compile(r"[\W_]+")


def copy_number(text: Text) -> int:
    """Hash a text by the letters and digits of the text and its query, ignoring case.

    With 64 bits, two different texts among a million collide in one of 10⁷ corpora.
    """
    letters = (_NO_LETTERS.sub("", text.text) or text.text).casefold()
    asked = "" if text.query is None else "\n" + "".join(text.query).casefold()
    return int.from_bytes(hashlib.blake2b((letters + asked).encode(), digest_size=8).digest())
