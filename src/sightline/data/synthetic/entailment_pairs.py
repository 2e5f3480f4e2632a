"""Synthetic pairs: attention reads the premise, and the hypothesis is the query.

A premise names ``things`` things, each right after its colour, among fillers. The hypothesis gives
one of them a colour, as in "the ball is red":

* ``entailment``: the thing comes right after that colour; * ``contradiction``: it comes right after
another colour; * ``neutral``: it comes after a filler, and the spare colour is placed elsewhere.

The written label is another one with probability ``noise``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sightline.config.part_syntax import Part
from sightline.config.registry import resolve_options
from sightline.core.example import Example
from sightline.core.seeds import Seeds
from sightline.core.tokeniser import tokenise
from sightline.data.dataset import Dataset
from sightline.data.synthetic.cue_words import (
    balanced_labels,
    channel,
    check_demands,
    dataset_of,
    filler,
    sizes_of,
)

LABELS = ("contradiction", "entailment", "neutral")
CONTRADICTION, ENTAILMENT, NEUTRAL = range(3)
COLOURS = ("red", "blue", "green", "black", "white", "brown", "yellow", "pink")
THINGS = ("ball", "book", "lamp", "key", "box", "hat", "cup", "chair")

Unit = list[tuple[str, bool]]  # neighbouring words, each with whether it is evidence


@dataclass(frozen=True)
class PairOptions:
    """The options of a corpus of pairs: things in a premise, and the number of distinct words of
    each kind.
    """

    n: int
    length: int
    things: int
    kinds: int
    colours: int
    fillers: int
    noise: float

    @property
    def longest(self) -> int:
        """The number of words of a premise, the same for all."""
        return self.length


def read_pairs(part: Part) -> PairOptions:
    """Read the options, with defaults for unset ones; an invalid value is an error."""
    pairs = PairOptions(**resolve_options("planted", part))
    demands = [
        (
            pairs.things <= pairs.kinds,
            f"1 to kinds={pairs.kinds} things in a premise, got things={pairs.things}",
        ),
        (
            pairs.length >= 2 * pairs.things + 2,
            f"at least {2 * pairs.things + 2} words, got length={pairs.length}",
        ),
        (
            min(sizes_of(pairs.n).values()) >= len(LABELS),
            f"a text of each label in each split, got n={pairs.n}",
        ),
    ]
    check_demands(part, demands)
    return pairs


def plant_pairs(part: Part, seed: int) -> Dataset:
    """Generate pairs; the card gives the best accuracy with both texts, without word order, and
    without the premise.
    """
    pairs = read_pairs(part)
    return dataset_of(
        part,
        LABELS,
        balanced_labels(len(LABELS), pairs.n, seed),
        lambda index, label: _example(pairs, index, label, seed),
        best_accuracy=max(1 - pairs.noise, pairs.noise / 2),
        bag_of_words_accuracy=bag_of_words_accuracy(pairs),
        query_only_accuracy=1 / 3,
        evidence="the thing that is asked about, and its colour where it has one",
        seed=seed,
    )


def bag_of_words_accuracy(pairs: PairOptions) -> float:
    """Give the accuracy of the best rule that ignores word order in the premise.

    Only M, the count of the hypothesis's colour in the premise, is informative. With k things and K
    colours, M − 1 ~ Bin(k − 1, 1/K) under entailment, M ~ Bin(k − 1, 1/K) under contradiction, M ~
    Bin(k, 1/K) under neutral. Each value of M gets the likeliest label, including noise.
    """
    k = pairs.things
    chances = np.zeros((3, k + 1))
    chances[ENTAILMENT, 1:] = chances[CONTRADICTION, :-1] = _binomial(k - 1, pairs.colours)
    chances[NEUTRAL] = _binomial(k, pairs.colours)
    kept, other = 1 - pairs.noise, pairs.noise / 2
    written = kept * chances + other * (chances.sum(axis=0) - chances)
    return float(written.max(axis=0).sum() / 3)


def _binomial(n: int, colours: int) -> list[float]:
    return [
        math.comb(n, m) * (1 / colours) ** m * (1 - 1 / colours) ** (n - m) for m in range(n + 1)
    ]


def _example(pairs: PairOptions, index: int, label: int, seed: int) -> Example:
    """Generate one pair; it depends on its own seed only."""
    generator = Seeds(seed).generator("planted.pair", index)
    truth = channel(label, 1 - pairs.noise, len(LABELS), generator)
    things = [THINGS[i] for i in generator.permutation(pairs.kinds)[: pairs.things]]
    colours = generator.integers(pairs.colours, size=pairs.things).tolist()
    said = colours[0]
    if truth == CONTRADICTION:
        said = (said + int(generator.integers(1, pairs.colours))) % pairs.colours
    elif truth == NEUTRAL:
        said = int(generator.integers(pairs.colours))  # the spare colour is no evidence
    words = [filler(int(number)) for number in generator.integers(pairs.fillers, size=pairs.length)]
    units = _units(things, [COLOURS[i] for i in colours], truth, words)
    placed = [word for place in generator.permutation(len(units)) for word in units[place]]
    text = " ".join(word for word, _ in placed)
    query = ("the", things[0], "is", COLOURS[said])
    marks = tuple(evidence for _, evidence in placed)
    return Example(
        f"pair:{index}", index, text, *tokenise(text), label, query, tuple(range(3)), marks
    )


def _units(
    things: Sequence[str], colours: Sequence[str], truth: int, words: list[str]
) -> list[Unit]:
    """Join words that must be adjacent; the first thing is the queried one, and fillers take the
    remaining room.
    """
    rest: list[Unit] = [
        [(colour, False), (thing, False)]
        for colour, thing in zip(colours[1:], things[1:], strict=True)
    ]
    if truth == NEUTRAL:
        asked: list[Unit] = [
            [(words.pop(), False), (things[0], True)],
            [(colours[0], False), (words.pop(), False)],
        ]
    else:
        asked = [[(colours[0], True), (things[0], True)]]
    room = len(words) - 2 * len(rest) - 2
    return [*asked, *rest, *([(word, False)] for word in words[:room])]
