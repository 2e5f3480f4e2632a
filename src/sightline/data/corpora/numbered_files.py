"""Corpora with one text in each file, ordered by the numbers in file names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sightline.core.errors import DataError
from sightline.data.assembly.corpus import Text
from sightline.data.corpora.corpus_files import found_files
from sightline.data.readers.archives import File, FileFilter


@dataclass(frozen=True)
class Numbered:
    """A corpus with one text in each file, whose name contains split, class and number (groups
    ``split``, ``label``, ``id``).
    """

    pattern: re.Pattern[str]
    classes: tuple[str, ...]
    """The classes as spelled in file names, in the order of the labels."""
    labels: tuple[str, ...]
    published: Mapping[str, int]
    expected: str
    each: str
    """The word for the texts, in the plural."""

    def wanted(self, options: Mapping[str, Any]) -> FileFilter:
        """Select the files to read."""
        return lambda name: self.pattern.search(name) is not None

    def read(
        self, path: str, text_of: Callable[[File, re.Match[str], int], Text]
    ) -> tuple[list[Text], Counter[str]]:
        """Read and count all texts, ordered by split, class and number, whatever their order in an
        archive.
        """
        texts, found = dict[tuple[str, int, int], Text](), Counter[str]()
        for file in found_files(path, self.wanted({}), self.expected):
            match = self.pattern.search(file.name)
            assert match is not None  # selected by this pattern
            key = match["split"], self.classes.index(match["label"]), int(match["id"][:18])
            if key in texts:
                raise DataError(
                    f"two {self.each} have this number; name the folder of one corpus", file.shown
                )
            texts[key] = text_of(file, match, key[1])
            found[f"{key[0]}, {self.labels[key[1]]}"] += 1
        if missing := [what for what in self.published if not found[what]]:
            raise DataError(f"expected {self.expected}; there is none for {missing[0]}", path)
        ordered = sorted(texts, key=lambda key: (key[0] == "test", key[1], key[2]))
        return [texts[key] for key in ordered], found
