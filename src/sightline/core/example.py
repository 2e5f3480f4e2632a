"""One text as every part of an audit sees it. It is separate from `protocols`, because data are
read without torch.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from sightline.core.interning import Span
from sightline.core.tokeniser import tokenise


@dataclass(frozen=True, slots=True)
class Example:
    """One text as it was read: its words, their offsets, and what is known about it."""

    id: str
    index: int
    text: str
    tokens: tuple[str, ...]
    places: tuple[Span, ...] | None
    """The offsets of its words; None if `tokenise` can find them again, since few of a million
    texts need them."""
    label: int
    query: tuple[str, ...] | None = None
    candidates: tuple[int, ...] | None = None
    rationale: tuple[bool, ...] | None = None
    group: str = ""
    """The source, story or person that it shares with other texts; empty if it shares none."""
    cut: int = 0
    """The number of its words, and of its query's, that were left out because it is too long or
    because the model does not see them."""
    unseen: int = 0
    """How many of these the model has no token for, however long it reads."""

    @property
    def offsets(self) -> tuple[Span, ...]:
        """The start and end of each word in the text."""
        return tokenise(self.text)[1][: len(self.tokens)] if self.places is None else self.places

    @property
    def spelled(self) -> tuple[str, ...]:
        """Its words as they stand in the text: a token is in lower case."""
        return tuple(self.text[start:end] for start, end in self.offsets)

    def only(self, words: Sequence[int]) -> Example:
        """Keep some words, by position; the text itself is unchanged."""
        if len(words) == len(self.tokens):
            return self
        offsets, rationale = self.offsets, self.rationale
        return replace(
            self,
            tokens=tuple(self.tokens[word] for word in words),
            places=tuple(offsets[word] for word in words),
            rationale=None if rationale is None else tuple(rationale[word] for word in words),
        )


def shortened(example: Example, kept: Collection[int]) -> Example:
    """Keep some words of a text, by position.

    A word removed from between two spaces, or from the beginning, takes one space with it.

    >>> words, places = tokenise("Not  a good film!")
    >>> text = Example("t", 0, "Not  a good film!", words, places, 0)
    >>> shortened(text, [0, 1, 3, 4]).text, shortened(text, [2, 3]).text
    ('Not  a film!', ' good film')
    """
    out, places, at, offsets = "", [], 0, example.offsets
    for place, (start, end) in enumerate(offsets):
        out += example.text[at:start]
        at = end
        if place in kept:
            places.append((len(out), len(out) + end - start))
            out += example.text[start:end]
        elif (not out or out[-1].isspace()) and example.text[end : end + 1].isspace():
            at += 1
    left = [place for place in range(len(offsets)) if place in kept]
    return replace(
        example,
        text=out + example.text[at:],
        tokens=tuple(example.tokens[place] for place in left),
        places=tuple(places),
        rationale=None,
    )
