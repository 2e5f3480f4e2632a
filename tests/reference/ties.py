"""Which words of a text are tied, word by word."""

from collections.abc import Sequence
from itertools import pairwise


def settled(values: Sequence[float], noise: float, tie: float, nothing: float) -> list[float]:
    """Walk through the words from the lowest value up; one that is near the one before it takes its
    value.
    """
    largest = max(abs(value) for value in values)
    loud = [
        value if abs(value) > noise * largest and abs(value) > nothing else 0.0 for value in values
    ]
    out = list(loud)
    upwards = sorted(range(len(values)), key=loud.__getitem__)
    for before, word in pairwise(upwards):
        if loud[word] - loud[before] <= tie * largest:
            out[word] = out[before]
    return out


def apart(
    values: Sequence[float], visible: float, noise: float, tie: float, nothing: float, wider: float
) -> list[float]:
    """Take the largest word that is left and all that nobody can tell from it; give them its value;
    and so on.

    Each of these groups reaches farther down, by this part of a step.
    """
    known = settled(values, noise, tie, nothing)
    step = visible * max(abs(value) for value in known)
    out, left, reach = list(known), set(range(len(known))), step * (1 + wider)
    while left:
        head = max(known[word] for word in left)
        group = {word for word in left if head - known[word] <= reach * (1 + tie)}
        for word in group:
            out[word] = head
        left -= group
    return out


def faded(
    values: Sequence[float],
    faint: float,
    visible: float,
    noise: float,
    tie: float,
    nothing: float,
    wider: float,
) -> list[float]:
    """What a reader sees: words that look the same have one value, and words that cannot be seen
    have 0.
    """
    known = apart(values, visible, noise, tie, nothing, wider)
    largest = max(abs(value) for value in known)
    return [0.0 if abs(value) < faint * largest else value for value in known]


def falling(values: Sequence[float], keys: Sequence[float]) -> list[int]:
    """Order words, largest first, and those of one value by their keys."""
    return sorted(range(len(values)), key=lambda word: (-values[word], keys[word]))
