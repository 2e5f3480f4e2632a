"""Tokenise whole corpora, sharing equal words and offsets in memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sightline.core.interning import Interner, Span, Words
from sightline.core.tokeniser import tokenise
from sightline.data.assembly.corpus_format import Recipe


class WordCutter(Interner):
    """Splits texts into words, storing each word and each pair of offsets once."""

    def cut(self, text: str) -> Words:
        """Cut as `tokenise` does."""
        return self.shared(*tokenise(text))

    def by(
        self, recipe: Recipe, text: str, paper: Callable[[str], Sequence[str]]
    ) -> tuple[str, *Words]:
        """Tokenise a text, or take the words of the paper's code."""
        return self.join(paper(text)) if recipe == "paper" else (text, *self.cut(text))

    def join(self, tokens: Sequence[str]) -> tuple[str, tuple[str, ...], tuple[Span, ...]]:
        """Take words as they are: give them joined by blanks, in lower case, and with their
        offsets.
        """
        offsets, start = [], 0
        for token in tokens:
            offsets.append((start, start + len(token)))
            start += len(token) + 1
        return (
            " ".join(tokens),
            *self.shared(tuple(token.lower() for token in tokens), tuple(offsets)),
        )
