"""Words that share a subword with the word before: a model of subwords cannot separate them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby, pairwise

import torch

from sightline.core.example import Example
from sightline.core.protocols import Batch

Collate = Callable[[Sequence[Example]], object]


def with_own_tokens(collate: Collate, example: Example) -> Example:
    """Leave out the words of a text that have no subword of their own in the output of ``collate``.

    ``collate`` must give the same subwords for the shortened text, and number its words in order.
    Otherwise words were misnumbered rather than shared, and the text stays as it is.
    """
    first = collate([example])
    if not isinstance(first, Batch) or len(first.word) != 1:
        return example
    words = words_of_row(first, 0)
    rising = all(one < other for one, other in pairwise(words))
    if not (words and rising and words[0] >= 0 and words[-1] < len(example.tokens)):
        return example
    shorter = example.only(words)
    return shorter if shorter is example or _same(first, collate([shorter]), words) else example


def words_of_row(batch: Batch, row: int) -> list[int]:
    """Give the words that may be attended to in order; a word of several subwords counts once."""
    return [number for number, _ in groupby(batch.word[row][batch.attendable[row]].tolist())]


def _same(first: Batch, again: object, words: list[int]) -> bool:
    if not isinstance(again, Batch) or again.ids.shape != first.ids.shape:
        return False
    if not (torch.equal(again.ids, first.ids) and torch.equal(again.attendable, first.attendable)):
        return False
    numbers = [words.index(number) for number in first.word[first.attendable].tolist()]
    return bool(again.word[again.attendable].tolist() == numbers)
