"""The definition of a published format: how its files are found and read, and how a paper prepared
them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sightline._io.limits import FILE, Bound
from sightline.config.specs import Recipe as Recipe
from sightline.data.assembly.corpus import Corpus, Text
from sightline.data.readers.archives import FileFilter

Divide = Callable[[Sequence[Text]], list[str]]
"""Assigns a split to each text as a paper did; an empty name leaves the text out."""


@dataclass(frozen=True)
class PaperRecipe:
    """How Jain & Wallace prepared a corpus: ``shortest < n < longest`` words, where None stands for
    the least or largest length seen.

    ``lengths`` is None without a filter; ``quirks`` describes the steps that we would not repeat.
    """

    min_count: int
    divide: Divide
    lengths: tuple[int | None, int | None] | None
    quirks: tuple[str, ...]


@dataclass(frozen=True)
class Format:
    """A published format: its files and reader, given its options, and the paper's recipe if any.

    ``tasks`` holds the recipes by the option ``task``, for a corpus with a separate recipe for each
    task.
    """

    wanted: Callable[[Mapping[str, Any]], FileFilter]
    read: Callable[[str, Mapping[str, Any], Recipe], Corpus]
    paper: PaperRecipe | None
    tasks: Mapping[str, PaperRecipe] = field(default_factory=dict)
    largest: Bound | None = FILE
    """The largest allowed file; None if the file is read as a stream and the reader bounds what it
    keeps."""
    kept: bool = True
    """Whether the parsed corpus may be cached on disk. Not if it must not be passed on, or if
    parsing is as fast as reading the cache."""

    def recipe(self, options: Mapping[str, Any]) -> PaperRecipe | None:
        """Give the paper's recipe for the options."""
        return self.tasks[options["task"]] if self.tasks else self.paper

    @property
    def recipes(self) -> Mapping[str, PaperRecipe]:
        """The paper's recipes by task, or one with an empty name; empty without a recipe."""
        return self.tasks or ({} if self.paper is None else {"": self.paper})
