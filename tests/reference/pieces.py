"""Words and their pieces, word by word and piece by piece."""

from collections.abc import Sequence


def pieces_of(word: Sequence[int], number: int) -> list[int]:
    return [place for place, one in enumerate(word) if one == number]


def summed(values: Sequence[float], word: Sequence[int], words: int) -> list[float]:
    return [sum(values[place] for place in pieces_of(word, number)) for number in range(words)]


def reweighed(weights: Sequence[float], word: Sequence[int], new: Sequence[float]) -> list[float]:
    """Part each word's new weight as the old weight of the word was parted."""
    out = [0.0] * len(word)
    for number, weight in enumerate(new):
        places = pieces_of(word, number)
        total = sum(weights[place] for place in places)
        for place in places:
            out[place] = weight * (weights[place] / total if total else 1 / len(places))
    return out


def left(word: Sequence[int], gone: set[int]) -> list[bool]:
    return [number not in gone for number in word]
