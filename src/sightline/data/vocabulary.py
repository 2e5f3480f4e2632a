"""The vocabulary of training words, which maps words to ids."""

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
    """The words that a model knows. Ids 0 to 3 are padding, unknown, beginning and end; words start
    at 4.
    """

    words: tuple[str, ...]

    def __post_init__(self) -> None:
        if len(self._numbers) < len(self.words):
            twice = next(word for word, count in Counter(self.words).items() if count > 1)
            raise DataError(f"vocabulary: expected each word once, got {twice!r} twice")

    def __len__(self) -> int:
        """Count the words and the four special ids: the rows of an embedding table."""
        return len(self.words) + SPECIALS

    @cached_property
    def _numbers(self) -> Mapping[str, int]:
        return {word: number for number, word in enumerate(self.words, start=SPECIALS)}

    def ids(self, tokens: Sequence[str]) -> list[int]:
        """Give the id of each token, `UNK` for unknown words."""
        return [self._numbers.get(token, UNK) for token in tokens]

    def knows(self, tokens: Sequence[str]) -> tuple[bool, ...]:
        """Tell for each token whether it is known."""
        return tuple(token in self._numbers for token in tokens)

    @classmethod
    def fit(cls, train: Iterable[Example], min_count: int = 1) -> Vocabulary:
        """Collect the words of training texts and queries that occur in at least ``min_count``
        texts, sorted.

        Pass the training split only: words that occur only in test texts must stay unknown.
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
