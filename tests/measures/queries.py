"""Texts with a query and candidates each."""

from dataclasses import replace

from sightline.core.example import Example
from tests.texts import WORDS, examples

ALLOWED = [(0, 1, 2, 3), (1, 3), (2, 0, 3), (3, 0), (0, 1, 2), (1, 2)]


def asked(lengths: tuple[int, ...] = (7, 4, 6, 2, 5, 1)) -> list[Example]:
    """Texts with a query and candidates each; the label is among them."""
    return [
        replace(
            text,
            query=(WORDS[i], WORDS[2 * i + 1], WORDS[3])[: 1 + i % 3],
            candidates=ALLOWED[i],
            label=ALLOWED[i][0],
        )
        for i, text in enumerate(examples(lengths))
    ]
