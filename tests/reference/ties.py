"""Which words of a text are tied, word by word."""

from collections.abc import Sequence
from itertools import pairwise


def settled(values: Sequence[float], noise: float, tie: float, nothing: float) -> list[float]:
    """Walk through the words from the lowest value up; one that is near the one before it takes its value."""
    largest = max(abs(value) for value in values)
    loud = [value if abs(value) > noise * largest and abs(value) > nothing else 0.0 for value in values]
    out = list(loud)
    upwards = sorted(range(len(values)), key=loud.__getitem__)
    for before, word in pairwise(upwards):
        if loud[word] - loud[before] <= tie * largest:
            out[word] = out[before]
    return out
