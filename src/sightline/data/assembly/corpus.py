"""The one carrier between files and a dataset: texts in the order of their files, and what was left
out of them.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from sightline.core.interning import Span

WHOLE = (0, 0)
"""How many words of a text and of its query are cut away from most: one value for all, since there
may be millions."""


@dataclass(frozen=True, slots=True)
class Text:
    """One text: ``name`` says where in the corpus it is, ``label`` is a number, ``query`` and
    ``rationale`` if known.

    ``split`` is the one that the files name, or empty where they name none; ``group`` what it
    shares with texts of other words, as the questions of one story do.
    """

    name: str
    split: str
    label: int
    text: str
    tokens: tuple[str, ...]
    places: tuple[Span, ...] | None
    """Where its words stand; None where they were cut as `tokenise` does, which finds them
    again."""
    file: str
    line: int
    query: tuple[str, ...] | None = None
    rationale: tuple[bool, ...] | None = None
    group: str = ""
    lost: tuple[int, int] = WHOLE
    """How many words of the text, and of the query, were cut away while it was read."""
    answers: tuple[int, ...] | None = None
    """Of a published corpus with queries: the labels that this text allows; None where it allows
    all."""

    @property
    def lengths(self) -> tuple[int, int]:
        """How many words the text and its query had before anything was cut."""
        return len(self.tokens) + self.lost[0], len(self.query or ()) + self.lost[1]


def lost(words: int, asked: int, longest: int) -> tuple[int, int]:
    """Count what of a text and of its query lies beyond the longest length."""
    beyond = max(0, words - longest), max(0, asked - longest)
    return beyond if any(beyond) else WHOLE


@dataclass(frozen=True)
class Corpus:
    """All texts of a corpus; ``found`` and ``published`` count its records by file, before anything
    was left out.
    """

    texts: tuple[Text, ...]
    label_names: tuple[str, ...]
    found: Mapping[str, int] = field(default_factory=dict)
    published: Mapping[str, int] = field(default_factory=dict)
    dropped: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    copies: tuple[int, ...] = ()
    """Of a published corpus: one number a text, the same for copies of it (`copy_number`)."""
    columns: Mapping[str, str | None] = field(default_factory=dict)
    """Of a table: which column each thing was read from."""
    splits_by: str = ""
    """Of a table: in words, what names the splits of its texts, where something does."""


_NO_LETTERS = re.compile(r"[\W_]+")


def copy_number(text: Text) -> int:
    """Number a text by its letters and digits, in order, whatever their case, and by those of its
    query.

    64 bits: among a million texts, two different ones share a number once in 10⁷ corpora.
    """
    letters = (_NO_LETTERS.sub("", text.text) or text.text).casefold()
    asked = "" if text.query is None else "\n" + "".join(text.query).casefold()
    return int.from_bytes(hashlib.blake2b((letters + asked).encode(), digest_size=8).digest())
