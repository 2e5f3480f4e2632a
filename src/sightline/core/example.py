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
    query_text: str | None = None
    """Its query as written: a word of ``query`` is in lower case. None if only the words are known."""
    read_to: int | None = None
    """Where a model stops reading the text; None: behind its last word if the text has others
    behind it, else at the end."""

    @property
    def offsets(self) -> tuple[Span, ...]:
        """The start and end of each word in the text."""
        return tokenise(self.text)[1][: len(self.tokens)] if self.places is None else self.places

    @property
    def spelled(self) -> tuple[str, ...]:
        """Its words as they stand in the text: a token is in lower case."""
        return tuple(self.text[start:end] for start, end in self.offsets)

    @property
    def as_read(self) -> str:
        """The text as a model reads it: words that were cut from its end are not read."""
        return up_to(self.text, self.offsets) if self.read_to is None else self.text[: self.read_to]

    @property
    def asked(self) -> str | None:
        """The query as a model reads it that takes texts; None if there is none."""
        if self.query is None:
            return None
        if self.query_text is None:
            return " ".join(self.query)
        return up_to(self.query_text, tokenise(self.query_text)[1][: len(self.query)])

    def only(self, words: Sequence[int]) -> Example:
        """Keep some words, by position; the text itself is unchanged, and read as far as before."""
        if len(words) == len(self.tokens):
            return self
        offsets, rationale = self.offsets, self.rationale
        return replace(
            self,
            tokens=tuple(self.tokens[word] for word in words),
            places=tuple(offsets[word] for word in words),
            rationale=None if rationale is None else tuple(rationale[word] for word in words),
            read_to=len(self.as_read),
        )


def up_to(text: str, offsets: Sequence[Span]) -> str:
    """Cut a text behind the last of these words if it has others behind it.

    >>> up_to("Good film!", [(0, 4)]), up_to("Good film! ", [(0, 4), (5, 9), (9, 10)])
    ('Good', 'Good film! ')
    """
    end = offsets[-1][1] if offsets else 0
    return text[:end] if tokenise(text[end:])[0] else text


def shortened(example: Example, kept: Collection[int]) -> Example:
    """Keep some words of a text, by position.

    A word removed from between two spaces, or from the beginning, takes one space with it. What a
    model does not read at the end is gone.

    >>> words, places = tokenise("Not  a good film!")
    >>> text = Example("t", 0, "Not  a good film!", words, places, 0)
    >>> shortened(text, [0, 1, 3, 4]).text, shortened(text, [2, 3]).text
    ('Not  a film!', ' good film')
    """
    out, places, at, offsets, text = "", [], 0, example.offsets, example.as_read
    for place, (start, end) in enumerate(offsets):
        out += text[at:start]
        at = end
        if place in kept:
            places.append((len(out), len(out) + end - start))
            out += text[start:end]
        elif (not out or out[-1].isspace()) and text[end : end + 1].isspace():
            at += 1
    out += text[at:]
    left = [place for place in range(len(offsets)) if place in kept]
    return replace(
        example,
        text=out,
        tokens=tuple(example.tokens[place] for place in left),
        places=tuple(places),
        rationale=None,
        read_to=None if example.read_to is None else len(out),
    )
