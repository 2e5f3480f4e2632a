"""What a published format is: how its files are found and read, and how a paper prepared them, as
values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from sightline._io.limits import FILE, Bound
from sightline.data.assembly.corpus import Corpus, Text
from sightline.data.readers.archives import Wanted

Recipe = Literal["clean", "paper"]
Divide = Callable[[Sequence[Text]], list[str]]
"""Names a split for each text as a paper did; an empty name leaves the text out."""


@dataclass(frozen=True)
class PaperRecipe:
    """How Jain & Wallace prepared a corpus: ``shortest < n < longest`` words, None standing for the
    least or most seen.

    ``lengths`` is None where there was no filter; ``quirks`` are what one would not do again, in
    words.
    """

    min_count: int
    divide: Divide
    lengths: tuple[int | None, int | None] | None
    quirks: tuple[str, ...]


@dataclass(frozen=True)
class Format:
    """A published format: which files it reads and how, given its options, and the paper's recipe
    if any.

    ``tasks`` has the recipes of a corpus whose tasks were prepared each its own way, by its option
    ``task``.
    """

    wanted: Callable[[Mapping[str, Any]], Wanted]
    read: Callable[[str, Mapping[str, Any], Recipe], Corpus]
    paper: PaperRecipe | None
    tasks: Mapping[str, PaperRecipe] = field(default_factory=dict)
    largest: Bound | None = FILE
    """How large a file may be; None where a file is a stream, of which the reader bounds what it
    keeps."""
    kept: bool = True
    """Whether what was read may lie on disk: not what may not be passed on, nor what is as soon
    read again."""

    def recipe(self, options: Mapping[str, Any]) -> PaperRecipe | None:
        """Give the paper's recipe of what the options ask for."""
        return self.tasks[options["task"]] if self.tasks else self.paper

    @property
    def recipes(self) -> Mapping[str, PaperRecipe]:
        """The paper's recipes by task, or one without a name; none where there is no recipe."""
        return self.tasks or ({} if self.paper is None else {"": self.paper})
