"""Make text by others safe to show: characters that hide, reorder or break lines become signs."""

from __future__ import annotations

import unicodedata

from sightline.core.error_excerpts import shortened as shortened

_KEPT = frozenset("\n\t\u200c\u200d")  # Persian words and emoji need the joiners
_BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_BLANK = frozenset("\u00ad\u180e\u200b\u2060\u2061\u2062\u2063\u2064\ufeff")
_MARKS = ((0x206A, 0x206F), (0xFFF9, 0xFFFB), (0xE0020, 0xE007F))
"""Ranges of invisible signs: deprecated formats, annotations, and tags, which can spell a text."""
_HIDDEN = frozenset({"Cc", "Cs", "Zl", "Zp"})


def visible(text: str) -> str:
    r"""Replace control, bidi and invisible characters by signs, and keep all others.

    The result can be encoded in UTF-8. Nothing in it is forbidden in HTML, reverses following text,
    or controls a terminal. Each character is replaced for itself, except a line end of two
    characters.

    >>> visible("a\x00b \u202ec")
    'a␀b ⟦U+202E⟧c'
    """
    text = text.replace("\r\n", "\n")
    return text if text.isascii() and text.isprintable() else "".join(map(_sign, text))


def one_line(text: str) -> str:
    """Make a text visible on a single line, for a terminal or a label."""
    return " ".join(visible(text).split())


def escape_surrogates(text: str) -> str:
    """Write half of a surrogate pair as its number, because no text file can hold it."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _sign(character: str) -> str:
    if character in _KEPT:
        return character
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)
    hidden = character in _BIDI or character in _BLANK or unicodedata.category(character) in _HIDDEN
    hidden = hidden or any(first <= code <= last for first, last in _MARKS)
    nowhere = (code & 0xFFFE) == 0xFFFE or 0xFDD0 <= code <= 0xFDEF
    return f"⟦U+{code:04X}⟧" if hidden or nowhere else character
