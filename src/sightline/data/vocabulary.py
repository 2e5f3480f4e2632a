"""Text to words to numbers: a tokeniser that remembers where each word stands, and a vocabulary of training words."""

from __future__ import annotations

import re
import sys
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import groupby

from sightline.errors import DataError, SpecError
from sightline.types import Example

PAD, UNK, BOS, EOS = range(4)
SPECIALS = 4

# Chinese characters stand without spaces between words: one token each, as BERT has it.
_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003347f"
# Controls and bidirectional or zero-width marks are invisible: they separate words and are never words.
_INVISIBLE = (
    "\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f"
)
_JOINERS = "\u200c\u200d\xad"  # inside a word they belong to it: Persian, Indic scripts, soft hyphens
_SKIN_TONES = "\U0001f3fb-\U0001f3ff"
_FLAG = "[\U0001f1e6-\U0001f1ff]{2}"


@cache
def _marks() -> str:
    """Combining marks as the inside of a character class (a regex ``w`` class has no accents)."""
    marks = [code for code in range(sys.maxunicode + 1) if unicodedata.category(chr(code)).startswith("M")]
    runs = [[code for _, code in run] for _, run in groupby(enumerate(marks), lambda pair: pair[1] - pair[0])]
    return "".join(f"{chr(run[0])}-{chr(run[-1])}" for run in runs)


@cache
def _pattern() -> re.Pattern[str]:
    """Numbers with separators, then words with inner apostrophes and hyphens, then flags, then any visible sign."""
    marks = _marks()
    # Possessive (++, *+): a word of a megabyte is read once, whatever follows it.
    word = rf"(?:[^\W{_HAN}]++[{marks}]*+)++"
    word = rf"{word}(?:[{_JOINERS}]++{word})*+"
    number = r"\d++(?:[.,]\d++)++(?!\w)"
    after = rf"[{marks}{_SKIN_TONES}]*+"
    sign = rf"[^\s{_INVISIBLE}]{after}(?:\u200d[^\s\w{_INVISIBLE}]{after})*+"
    return re.compile(rf"{number}|{word}(?:['’\-‐]{word})*+|{_FLAG}|{sign}")


def tokenise(text: str) -> tuple[tuple[str, ...], tuple[tuple[int, int], ...]]:
    """Cut a text into lower-cased words, and say where each stands in the text as it was given.

    Words keep inner apostrophes and hyphens, numbers keep inner points and commas; any other visible sign is a
    token (an emoji with its modifiers is one), and so is each Chinese character. Scripts written without spaces
    are otherwise not segmented. Guarantees ``text[start:end].lower() == token`` for each token and its offset.

    >>> tokenise("Don't pay 3.50!")
    (("don't", 'pay', '3.50', '!'), ((0, 5), (6, 9), (10, 14), (14, 15)))
    """
    spans = tuple(match.span() for match in _pattern().finditer(text))
    # Lower-cased after the cut: 'İ'.lower() is two characters, which would shift every offset behind it.
    return tuple(text[start:end].lower() for start, end in spans), spans


@dataclass(frozen=True)
class Vocabulary:
    """The words a model knows; numbers 0 to 3 are padding, unknown, beginning and end, and words follow from 4."""

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

    def to_json(self) -> list[str]:
        """Give the words in order, without the specials."""
        return list(self.words)

    @classmethod
    def from_json(cls, words: object) -> Vocabulary:
        """Read back what `to_json` gave."""
        if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
            raise DataError("vocabulary: expected a list of words, got something else; write it with to_json")
        return cls(tuple(words))

    @classmethod
    def fit(cls, train: Iterable[Example], min_count: int = 1) -> Vocabulary:
        """Take the words of training texts (and their queries) that occur in at least ``min_count`` texts, sorted.

        Pass the training split only: a word seen first in a test text must stay unknown.
        """
        if min_count < 1:
            raise SpecError(f"min_count: expected at least 1 text, got {min_count}")
        texts = Counter(word for example in train for word in {*example.tokens, *(example.query or ())})
        words = sorted(word for word, count in texts.items() if count >= min_count)
        if not words:
            raise DataError(f"vocabulary: no word occurs in {min_count} or more training texts; lower min_count")
        return cls(tuple(words))
