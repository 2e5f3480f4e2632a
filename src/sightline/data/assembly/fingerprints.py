"""The name of a text by its words: a saved model keeps it of what it was trained on, and not the
text.
"""

from __future__ import annotations

import hashlib

from sightline.core.example import Example
from sightline.core.tokeniser import tokenise
from sightline.data.assembly.corpus import Text


def fingerprint(example: Example | Text) -> str:
    """Name a text by its words, so that a model can say whether it has seen it without keeping it.

    All its words, also those cut off: cutting elsewhere must not make it another text. Another
    query makes it one.
    """
    words = [*tokenise(example.text)[0], *(("\n", *example.query) if example.query else ())]
    return hashlib.blake2b(" ".join(words).encode(), digest_size=8).hexdigest()
