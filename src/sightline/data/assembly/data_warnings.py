"""What is to be known of texts before they are audited: how much of them was cut away, and markup
among their words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from sightline.data.assembly.corpus import Text

_QUANTILES = {"median": 0.5, "q95": 0.95, "max": 1.0}
MARKUP = "with markup, tags as <br> or signs as &amp;: its letters and signs are read as words"
"""What is said of texts with markup, among the notes of a card."""
_MARKUP = re.compile(
    r"</?[a-z][a-z0-9]*(?:\s[^<>]*)?/?>|&(?:[a-z]{2,8}|#[0-9]{1,7});", re.IGNORECASE
)


def noticed(texts: Sequence[Text], longest: int | None) -> Iterator[str]:
    """Say in a sentence what somebody who sees these texts for the first time should know; None:
    texts are whole.
    """
    if longest is not None:
        yield from _lost(texts, longest)
    if found := sum(match is not None for match in map(_markup, texts)):
        # None of it is quoted: what stands in a tag is of the text, and this is told in reports
        # without texts too.
        yield f"{_texts(found)} {MARKUP}; take it out, or maps will weigh it"


def words_beyond(texts: Sequence[Text], longest: int) -> int:
    """Count the words of texts and queries that lie beyond the longest length."""
    return sum(length - longest for length in _lengths(texts) if length > longest)


def _lengths(texts: Sequence[Text]) -> list[int]:
    return [length for text in texts for length in text.lengths]


def lengths(texts: Sequence[Text], longest: int) -> dict[str, Any]:
    """Give the quantiles of the lengths before texts are cut, how many are cut, and the share of
    words that is lost.
    """
    words = np.fromiter((text.lengths[0] for text in texts), np.int64, len(texts))
    values = np.quantile(words, list(_QUANTILES.values()), method="inverted_cdf")
    found = {name: int(value) for name, value in zip(_QUANTILES, values, strict=True)}
    lost = np.maximum(words - longest, 0)
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


def _texts(n: int) -> str:
    return "a text" if n == 1 else f"{n} texts"
