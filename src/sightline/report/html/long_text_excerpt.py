"""Choose the words of a long text that are shown at first: the most highlighted ones and their
neighbours.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from jaxtyping import Float

from sightline.numerics.ties import level_ties

FIRST_WORDS, FIRST_CHARACTERS = 120, 1200
"""A text with no more words and characters is shown whole."""
MOST = 5
"""Words of each map that no fold hides."""
CONTEXT_WORDS, CONTEXT_CHARACTERS, NEAR = 8, 150, 3
"""Words and characters that are shown on each side of a word; a gap of up to ``NEAR`` words is
closed."""
Range = tuple[int, int]


def heaviest(values: Float[np.ndarray, " T"], signed: bool, most: int) -> list[int]:
    """Give the words with the largest values, by absolute value if the map is signed; words at 0
    are left out.
    """
    size = np.nan_to_num(np.abs(values) if signed else values, posinf=np.inf, neginf=-np.inf)
    ranked = level_ties(size, np.ones(size.shape, dtype=bool)) if np.isfinite(size).all() else size
    order = np.argsort(-ranked, kind="stable")[:most].tolist()
    return [word for word in order if size[word] > 0]


def folded(marked: Iterable[int], sizes: Sequence[int]) -> list[Range]:
    """Give the stretches of words that are shown: the beginning, and the neighbourhood of each
    marked word.

    ``sizes`` are the characters of each word and the space before it. A short text is one stretch.
    stretch.
    """
    if len(sizes) <= FIRST_WORDS and sum(sizes) <= FIRST_CHARACTERS:
        return [(0, len(sizes))]
    return _merged(sorted(_around(word, sizes) for word in {0, *marked}), len(sizes))


def _around(word: int, sizes: Sequence[int]) -> Range:
    before = _reached(sizes[max(0, word - CONTEXT_WORDS) : word][::-1])
    after = _reached(sizes[word + 1 : word + 1 + CONTEXT_WORDS])
    return word - before, word + 1 + after


def _reached(sizes: Sequence[int]) -> int:
    """Count the words that fit into the characters on one side."""
    return int((np.cumsum(sizes) <= CONTEXT_CHARACTERS).sum())


def _merged(ranges: Sequence[Range], words: int) -> list[Range]:
    """Join stretches that touch or nearly do, and the last one with the end of the text."""
    out = [ranges[0]]
    for start, stop in ranges[1:]:
        if start - out[-1][1] <= NEAR:
            out[-1] = out[-1][0], max(out[-1][1], stop)
        else:
            out.append((start, stop))
    if words - out[-1][1] <= NEAR:
        out[-1] = out[-1][0], words
    return out
