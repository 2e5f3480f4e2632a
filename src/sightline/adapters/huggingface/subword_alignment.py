"""Texts as a tokenizer reads them: each token is matched to its word by position, never by
spelling.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

from sightline._io.limits import TEXT_TOKENS
from sightline.core.error_excerpts import show_id
from sightline.core.errors import DataError
from sightline.core.example import Example
from sightline.core.interning import Span
from sightline.core.protocols import Batch

NO_WORD = -1


@dataclass(frozen=True)
class SubwordText:
    """A text in tokens: their ids, and the word of each (−1: a special token, a blank, or the
    query).
    """

    ids: tuple[int, ...]
    words: tuple[int, ...]


@dataclass(frozen=True)
class SubwordReader:
    """A fast tokenizer, and the number of tokens that its model accepts."""

    tokenizer: Any
    longest: int | None
    pad: int
    separator: int | None = None
    unknown: int | None = None
    rows: int | None = None
    """The number of tokens with an embedding."""

    def read(self, example: Example, *, whole: bool = False) -> SubwordText:
        """Tokenise a text, and the query of a pair after it; cut it to the model's length, unless
        ``whole``.
        """
        example = replace(example, places=example.offsets)  # found again once, not for every token
        read = self._tokenise(example, None if whole else self.longest)
        if len(read["input_ids"]) > TEXT_TOKENS.now:
            raise DataError(
                f"text {show_id(example.id)}: {TEXT_TOKENS.passed(len(read['input_ids']))}"
            )
        places = zip(read["offset_mapping"], read.sequence_ids(), strict=True)
        words = tuple(
            word_of(place, example.offsets) if part == 0 else NO_WORD for place, part in places
        )
        return SubwordText(tuple(read["input_ids"]), words)

    def inputs(self, example: Example) -> dict[str, list[int]]:
        """Give what the tokenizer hands to its model for a text."""
        read = self._tokenise(example, self.longest)
        return {name: list(numbers) for name, numbers in read.items() if name != "offset_mapping"}

    def _tokenise(self, example: Example, longest: int | None) -> Any:
        """Tokenise a text and its query; a query that leaves no place for the text is an error."""
        query = example.asked
        cut = {} if longest is None else {"truncation": "only_first", "max_length": longest}
        try:
            return self.tokenizer(
                example.as_read, query, return_offsets_mapping=True, verbose=False, **cut
            )
        except Exception as error:  # the library raises no class of its own
            alone = (
                0 if query is None else len(self.tokenizer("", query, verbose=False)["input_ids"])
            )
            if longest is None or alone < longest:
                raise
            raise DataError(
                f"text {show_id(example.id)}: expected a query that leaves the model a place for "
                f"the text, got one that takes {alone} of its {longest} tokens; shorten the query, "
                "or leave the text out"
            ) from error

    def batch(self, examples: Sequence[Example], device: torch.device) -> Batch:
        """Pad texts at the right; only tokens of words are attendable, special tokens keep their
        attention.
        """
        read = [self.read(example) for example in examples]
        if empty := next(
            (text.id for text, one in zip(examples, read, strict=True) if not one.ids), None
        ):
            raise DataError(
                f"text {show_id(empty)}: expected tokens of it, the tokenizer gave none; leave the text out"
            )
        for text, one in zip(examples, read, strict=True):
            self._check_embedded(text, one)
        size = max(len(one.ids) for one in read)
        ids, words = (
            torch.tensor([[*row, *[filling] * (size - len(row))] for row in rows], device=device)
            for rows, filling in (
                ([one.ids for one in read], self.pad),
                ([one.words for one in read], NO_WORD),
            )
        )
        lengths = torch.tensor([[len(one.ids)] for one in read], device=device)
        mask = torch.arange(size, device=device) < lengths
        return Batch(
            ids=ids,
            mask=mask,
            attendable=words != NO_WORD,
            word=words,
            labels=torch.tensor([example.label for example in examples], device=device),
            index=torch.tensor([example.index for example in examples], device=device),
        )

    def _check_embedded(self, example: Example, read: SubwordText) -> None:
        """Raise an error for a text with a token that has no embedding: the run would break, and on
        CUDA the process.
        """
        if self.rows is not None and (last := max(read.ids)) >= self.rows:
            raise DataError(
                f"text {show_id(example.id)}: expected tokens from 0 to {self.rows - 1}, the rows of "
                f"the model's embeddings, got {last} "
                f"({self.tokenizer.convert_ids_to_tokens(last)!r}); leave the text out, or train "
                "the model after resize_token_embeddings(len(tokenizer))"
            )

    def seen(self, example: Example) -> Example:
        """Keep the words that the model sees: within its length, and with at least one token."""
        return example.only(sorted({*self.read(example).words} - {NO_WORD}))

    def beyond(self, example: Example) -> int:
        """Count the words whose tokens lie beyond the maximum length."""
        return len({*self.read(example, whole=True).words} - {NO_WORD, *self.read(example).words})


def word_of(place: Span, words: Sequence[Span]) -> int:
    """Find the word that overlaps a token most, the first of several; a token may begin with the
    blank before its word.
    """
    start, end = place
    first = max(bisect_right(words, (start, start)) - 1, 0)
    best, found = 0, NO_WORD
    for number in range(first, len(words)):
        begins, ends = words[number]
        if begins >= end:
            break
        if (shared := min(end, ends) - max(start, begins)) > best:
            best, found = shared, number
    return found
