"""Share equal words and offsets as one object: a corpus or a saved audit has millions, of which few
differ.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable

Span = tuple[int, int]
Words = tuple[tuple[str, ...], tuple[Span, ...]]


def kept_once(tokens: Iterable[str]) -> tuple[str, ...]:
    """Give the same words, sharing equal ones."""
    return (
        *map(sys.intern, tokens),
    )  # via a list: a tuple that grows word by word fragments memory


class Interner:
    """Keeps each word and each pair of offsets in memory once."""

    def __init__(self) -> None:
        self._spans: dict[Span, Span] = {}

    def shared(self, tokens: Iterable[str], offsets: Iterable[Span]) -> Words:
        """Give the same words and offsets, sharing equal ones."""
        return kept_once(tokens), self.spans(offsets)

    def spans(self, offsets: Iterable[Span]) -> tuple[Span, ...]:
        """Give the same offsets, sharing equal ones."""
        known = self._spans.setdefault
        return tuple(known(span, span) for span in offsets)
