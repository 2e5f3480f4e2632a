"""Warnings about texts before an audit: how much of them was cut, and markup among their words."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from sightline.core.error_excerpts import list_names
from sightline.data.assembly.corpus import Text

_QUANTILES = {"median": 0.5, "q95": 0.95, "max": 1.0}
MARKUP = "with markup, tags as <br> or signs as &amp;: its letters and signs are read as words"
"""The note in the data card for texts with markup."""
LOOK_ALIKE = "differ only in how they are written (case, blanks, hidden or wide signs, a final .0)"
"""The note in the data card for labels that may be one class."""
ONE_LABEL = "holds 0 and 1 alone, so it was read as one label, which a text with 1 has"
"""The note in the data card for a single column that was read as a label of its own."""
AS_MISSING = "what some programs write for a missing value"
"""Part of the note in the data card for a label, or for groups, that may be none."""
_MISSING = frozenset({"nan", "<na>", "na", "n/a", "#n/a", "null", "none", "nat"})
_MARKUP = re.compile(
    r"</?[a-z][a-z0-9]*(?:\s[^<>]*)?/?>|&(?:[a-z]{2,8}|#[0-9]{1,7});", re.IGNORECASE
)
GARBLED = (
    "with signs that UTF-8 has where it was read in another encoding, as Ã© for é: convert the "
    "file that it comes from again"
)
"""The note in the data card for texts that a wrong conversion garbled."""
_GARBLED = re.compile("[\u0080-\u009f]|[ÃÂ][\u00a0-\u00bf]|â€|ï»¿")
ALONE = "a single number or sign and no more: is this the column of the texts?"
"""The note in the data card for texts that are most likely not texts."""
MOSTLY = 0.5
"""The share of texts that are a single number from which that is noted."""


def text_warnings(texts: Sequence[Text], longest: int | None) -> Iterator[str]:
    """Give warnings about texts, one sentence each; ``longest=None`` means that no text is cut."""
    if longest is not None:
        yield from _lost(texts, longest)
    if found := sum(match is not None for match in map(_markup, texts)):
        # The markup is not quoted: it is part of the text, and reports without texts have this note
        # too.
        yield f"{_texts(found)} {MARKUP}; take it out, or maps will weigh it"
    if found := sum(map(_is_garbled, texts)):
        yield f"{_texts(found)} {GARBLED}"
    if (found := sum(map(_is_alone, texts))) > MOSTLY * len(texts):
        yield f"{found} of {_texts(len(texts))} are {ALONE}"


def label_warnings(names: Sequence[str]) -> Iterator[str]:
    """Name labels that may be one class, written in two ways, or that may stand for no label."""
    alike: dict[str, list[str]] = {}
    for name in names:
        alike.setdefault(as_a_reader_takes(name), []).append(name)
    for written in alike.values():
        if len(written) > 1:
            yield f"the labels {list_names(written)} {LOOK_ALIKE}; write a class in one way"
    for name in names:
        if is_missing(name):
            yield (
                f"the label {name!r} is {AS_MISSING}, and is a class here; take its texts out if they "
                "have no label"
            )


def group_warnings(groups: Iterable[str], column: str) -> Iterator[str]:
    """Count groups that may be one, written in two ways, and texts whose group may be none, from the
    group of each text. They are not named: they may be patients.
    """
    counts = Counter(name for name in groups if name)
    there = [name for name in counts if not is_missing(name)]
    alike = Counter(map(as_a_reader_takes, there))
    if several := {name: n for name, n in alike.items() if n > 1}:
        yield (
            f"{sum(several.values()):,} groups ({column}) {LOOK_ALIKE}: read so, they are "
            f"{len(several):,}; write a group in one way"
        )
    if missing := sum(n for name, n in counts.items() if is_missing(name)):
        names = len(counts) - len(there)
        which, are = (
            ("a group", "is one group") if names == 1 else (f"{names} groups", "are groups")
        )
        yield (
            f"{_texts(missing)} of {which} ({column}) whose name is {AS_MISSING}, and {are} here; "
            "leave the cell empty if they have none"
        )


def is_missing(name: str) -> bool:
    """Tell whether a name is what programs write for a missing value."""
    return name.strip().casefold() in _MISSING


def as_a_reader_takes(name: str) -> str:
    """Give a name as a reader takes it, for comparisons.

    >>> as_a_reader_takes("Very\u00a0 good\u200b"), as_a_reader_takes("\uff11.0")
    ('very good', '1')
    """
    if name.isascii() and name.isdecimal():
        return name
    seen = unicodedata.normalize("NFKC", name)
    seen = "".join(sign for sign in seen if unicodedata.category(sign) != "Cf")
    return _WHOLE.sub(r"\1", " ".join(seen.casefold().split()))


_WHOLE = re.compile(r"^([+-]?\d+)\.0$")
"""A whole number as programs write it that hold all numbers of a column as fractions."""


def words_beyond(texts: Sequence[Text], longest: int) -> int:
    """Count the words of texts and queries beyond the longest length."""
    return sum(length - longest for length in _lengths(texts) if length > longest)


def _lengths(texts: Sequence[Text]) -> list[int]:
    return [length for text in texts for length in text.lengths]


def lengths(texts: Sequence[Text], longest: int) -> dict[str, Any]:
    """Give the quantiles of the lengths before truncation, the number of truncated texts, and the
    share of words lost.
    """
    words = np.fromiter((text.lengths[0] for text in texts), np.int64, len(texts))
    values = np.quantile(words, list(_QUANTILES.values()), method="inverted_cdf")
    found = {name: int(value) for name, value in zip(_QUANTILES, values, strict=True)}
    lost = np.maximum(words - min(longest, int(words.max())), 0)
    return {**found, "cut": int((lost > 0).sum()), "lost": float(lost.sum() / words.sum())}


def _lost(texts: Sequence[Text], longest: int) -> Iterator[str]:
    lengths = _lengths(texts)
    if lost := words_beyond(texts, longest):
        yield (
            f"cut to {longest} words (max_tokens): {lost / sum(lengths):.1%} of all words "
            f"were left out; the longest text has {max(lengths)}"
        )


def _markup(text: Text) -> re.Match[str] | None:
    return _MARKUP.search(text.text) if "<" in text.text or "&" in text.text else None


def _is_garbled(text: Text) -> bool:
    return not text.text.isascii() and _GARBLED.search(text.text) is not None


def _is_alone(text: Text) -> bool:
    return not any(map(str.isalpha, text.text)) and len(text.text.split()) == 1


def _texts(n: int) -> str:
    return "a text" if n == 1 else f"{n} texts"
