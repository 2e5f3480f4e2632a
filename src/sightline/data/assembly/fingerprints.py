"""Hashes of texts: a saved model stores them instead of its training texts."""

from __future__ import annotations

import hashlib

from sightline.core.example import Example
from sightline.core.tokeniser import tokenise
from sightline.data.assembly.corpus import Text


def fingerprint(example: Example | Text) -> str:
    """Hash a text by its words, so that a model can recognise a training text without storing it.

    Words that were cut count too, so another length limit gives the same hash. Another query gives
    another hash.
    """
    words = [*tokenise(example.text)[0]]
    if example.query:
        written = example.query_text
        words += ["\n", *(example.query if written is None else tokenise(written)[0])]
    return hashlib.blake2b(" ".join(words).encode(), digest_size=8).hexdigest()
