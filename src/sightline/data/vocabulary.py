"""Words to numbers: a vocabulary of training words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from sightline.core.errors import DataError, SpecError
from sightline.core.example import Example

PAD, UNK, BOS, EOS = range(4)
SPECIALS = 4


@dataclass(frozen=True)
class Vocabulary:
    """The words a model knows; numbers 0 to 3 are padding, unknown, beginning and end, and words
    follow from 4.
    """

    words: tuple[str, ...]

    def __post_init__(self) -> None:
        if len(self._numbers) < len(self.words):
            twice = next(word for word, count in Counter(self.words).items() if count > 1)
            raise DataError(f"vocabulary: expected each word once, got {twice!r} twice")

    def __len__(self) -> int:
        """Count the words and the four special numbers: the rows of an embedding table."""
        return len(self.words) + SPECIALS

    @cached_property
    def _numbers(self) -> Mapping[str, int]:
        return {word: number for number, word in enumerate(self.words, start=SPECIALS)}

    def ids(self, tokens: Sequence[str]) -> list[int]:
        """Give the number of each token, `UNK` for words that are not known."""
        return [self._numbers.get(token, UNK) for token in tokens]

    def knows(self, tokens: Sequence[str]) -> tuple[bool, ...]:
        """Tell of each token whether it is known."""
        return tuple(token in self._numbers for token in tokens)

    @classmethod
    def fit(cls, train: Iterable[Example], min_count: int = 1) -> Vocabulary:
        """Take the words of training texts (and their queries) that occur in at least ``min_count``
        texts, sorted.

        Pass the training split only: a word seen first in a test text must stay unknown.
        """
        if min_count < 1:
            raise SpecError(f"min_count: expected at least 1 text, got {min_count}")
        texts = Counter(
            word for example in train for word in {*example.tokens, *(example.query or ())}
        )
        words = sorted(word for word, count in texts.items() if count >= min_count)
        if not words:
            raise DataError(
                f"vocabulary: no word occurs in {min_count} or more training texts; lower min_count"
            )
        return cls(tuple(words))
