"""Split a text into words, with the offset of each word."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from itertools import groupby

# Chinese has no spaces between words: each character is one token, as in BERT.
_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003347f"
# Control characters and bidirectional or zero-width marks are invisible: they separate words and
# are never words.
_INVISIBLE = "\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f"
_JOINERS = (
    "\u200c\u200d\xad"  # inside a word they belong to it: Persian, Indic scripts, soft hyphens
)
_SKIN_TONES = "\U0001f3fb-\U0001f3ff"
# The other planes hold ideographs, private characters or nothing. Scanning them would take half a
# second at every start.
_PLANES_WITH_MARKS = (range(0x20000), range(0xE0000, 0xE1000))
_FLAG = "[\U0001f1e6-\U0001f1ff]{2}"


@cache
def _marks() -> str:
    """Combining marks as the inside of a character class (a regex ``w`` class has no accents)."""
    marks = [
        code
        for plane in _PLANES_WITH_MARKS
        for code in plane
        if unicodedata.category(chr(code))[0] == "M"
    ]
    runs = [
        [code for _, code in run]
        for _, run in groupby(enumerate(marks), lambda pair: pair[1] - pair[0])
    ]
    return "".join(f"{chr(run[0])}-{chr(run[-1])}" for run in runs)


@cache
def _pattern() -> re.Pattern[str]:
    """Numbers with separators, then words with inner apostrophes and hyphens, then flags, then any
    visible sign.
    """
    marks = _marks()
    # Possessive quantifiers (++, *+): a word of a megabyte is read once, without backtracking.
    word = rf"(?:[^\W{_HAN}]++[{marks}]*+)++"
    word = rf"{word}(?:[{_JOINERS}]++{word})*+"
    number = r"\d++(?:[.,]\d++)++(?!\w)"
    after = rf"[{marks}{_SKIN_TONES}]*+"
    sign = rf"[^\s{_INVISIBLE}]{after}(?:\u200d[^\s\w{_INVISIBLE}]{after})*+"
    return re.compile(rf"{number}|{word}(?:['’\-‐]{word})*+|{_FLAG}|{sign}")


def tokenise(text: str) -> tuple[tuple[str, ...], tuple[tuple[int, int], ...]]:
    """Split a text into lower-cased words, with the offset of each in the original text.

    Words keep inner apostrophes and hyphens, numbers keep inner points and commas; any other
    visible sign is a token (an emoji with its modifiers is one), and so is each Chinese character.
    Scripts written without spaces are otherwise not segmented. Guarantees ``text[start:end].lower()
    == token`` for each token and its offset.

    >>> tokenise("Don't pay 3.50!")
    (("don't", 'pay', '3.50', '!'), ((0, 5), (6, 9), (10, 14), (14, 15)))
    """
    spans = tuple(match.span() for match in _pattern().finditer(text))
    # Lower-cased after the cut: 'İ'.lower() is two characters, which would shift every offset
    # behind it.
    return tuple(text[start:end].lower() for start, end in spans), spans
