"""Equal words and places as one object: a corpus, or a saved audit, has millions of which few are
different.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable

Span = tuple[int, int]
Words = tuple[tuple[str, ...], tuple[Span, ...]]


def kept_once(tokens: Iterable[str]) -> tuple[str, ...]:
    """Give the same words as objects that are kept once."""
    return (
        *map(sys.intern, tokens),
    )  # by a list: a tuple that has grown word by word leaves holes behind it


class Sharing:
    """Keeps each word and each pair of offsets once: texts repeat them, and memory would, too."""

    def __init__(self) -> None:
        self._spans: dict[Span, Span] = {}

    def shared(self, tokens: Iterable[str], offsets: Iterable[Span]) -> Words:
        """Give the same values as objects that are kept once."""
        return kept_once(tokens), self.spans(offsets)

    def spans(self, offsets: Iterable[Span]) -> tuple[Span, ...]:
        """Give the same places as objects that are kept once."""
        known = self._spans.setdefault
        return tuple(known(span, span) for span in offsets)
