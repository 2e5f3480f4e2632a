"""What a published format is: how its files are found and read, and how a paper prepared them, as values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sightline.data.corpora.corpus import Corpus, Text
from sightline.data.sources.packed import Wanted

Recipe = Literal["clean", "paper"]
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
