"""Texts to words for whole corpora, where few different words and places stand for millions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sightline.core.interning import Sharing, Span, Words
from sightline.core.tokeniser import tokenise
from sightline.data.assembly.corpus_format import Recipe


class WordCutter(Sharing):
    """Cut texts into words, keeping each word and each pair of offsets once."""

    def cut(self, text: str) -> Words:
        """Cut as `tokenise` does."""
        return self.shared(*tokenise(text))

    def by(
        self, recipe: Recipe, text: str, paper: Callable[[str], Sequence[str]]
    ) -> tuple[str, *Words]:
        """Cut a text as it is, or take the words that the paper's code had."""
        return self.join(paper(text)) if recipe == "paper" else (text, *self.cut(text))

    def join(self, tokens: Sequence[str]) -> tuple[str, tuple[str, ...], tuple[Span, ...]]:
        """Take words as they are: a text of them with blanks between, the words in lower case, and
        their places.
        """
        offsets, start = [], 0
        for token in tokens:
            offsets.append((start, start + len(token)))
            start += len(token) + 1
        return (
            " ".join(tokens),
            *self.shared(tuple(token.lower() for token in tokens), tuple(offsets)),
        )
