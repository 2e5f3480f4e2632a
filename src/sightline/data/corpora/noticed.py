"""What is to be known of texts before they are audited: how much of them was cut away, and markup among their words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sightline.data.corpora.corpus import Text
from sightline.data.sources.showing import show

_MARKUP = re.compile(r"</?[a-z][a-z0-9]*(?:\s[^<>]*)?/?>|&(?:[a-z]{2,8}|#[0-9]{1,7});", re.IGNORECASE)


def noticed(texts: Sequence[Text], longest: int | None) -> Iterator[str]:
    """Say in a sentence what somebody who sees these texts for the first time should know; None: texts are whole."""
    if longest is not None:
        yield from _lost(texts, longest)
    found = [match[0] for match in map(_markup, texts) if match]
    if found:
        yield (
            f"{_texts(len(found))} with markup such as {show(found[0])}: its letters and signs are read as words; "
            "take it out, or maps will weigh it"
        )


def _lost(texts: Sequence[Text], longest: int) -> Iterator[str]:
    lengths = [length for text in texts for length in text.lengths]
    lost = sum(length - longest for length in lengths if length > longest)
    if lost:
        yield (
            f"cut to {longest} words (max_tokens): {lost / sum(lengths):.1%} of all words were left out; "
            f"the longest text has {max(lengths)}"
        )


def _markup(text: Text) -> re.Match[str] | None:
    return _MARKUP.search(text.text) if "<" in text.text or "&" in text.text else None


def _texts(n: int) -> str:
    return "a text" if n == 1 else f"{n} texts"
