"""Synthetic corpora with known evidence for each text and exactly known best accuracy.

Four scenarios of single texts, named in a data spec (`entailment_pairs` and `story_questions` have
the others):

* ``needle``: a word of the class stands among fillers;
* ``vote``: several cue words vote for one of two classes;
* ``negated``: a cue word means the other class when "not" stands right before it;
* ``detector``: a word of the second class stands among fillers, and the first class has fillers alone.

In all of them, ``strength`` is the probability that a cue points to the true class, and ``noise``
the probability that the written label is another one. Together, the label is the cue's class with
probability

    a = strength · (1 − noise) + (1 − strength) · noise / (classes − 1)

An ``opening`` is one word that begins every text, and an ``ending`` a full stop that ends it.
Neither is counted by ``length``, and neither is evidence.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Int

from sightline.config.part_syntax import Part
from sightline.config.registry import resolve_options
from sightline.core.errors import SpecError
from sightline.core.example import Example
from sightline.core.seeds import Seeds
from sightline.core.tokeniser import tokenise
from sightline.data.dataset import SPLITS, Dataset, Split, make_card

CLASSES = (
    "alpha",
    "beta",
    "gamma",
    "delta",
    "epsilon",
    "zeta",
    "eta",
    "theta",
    "iota",
    "kappa",
    "lambda",
    "mu",
    "nu",
    "xi",
    "omicron",
    "pi",
    "rho",
    "sigma",
    "tau",
    "upsilon",
    "phi",
    "chi",
    "psi",
    "omega",
)
_SYLLABLES = [consonant + vowel for consonant in "bdfghjklmnprstvz" for vowel in "aeiou"]
FILLERS = len(_SYLLABLES) ** 2
_SHARES = {"train": 0.60, "validation": 0.15, "test": 0.25}
OPENING, ENDING = "the", "."
"""The optional first and last word of every text."""

Placed = list[tuple[int, str, bool]]  # position, word, is it evidence


@dataclass(frozen=True)
class SyntheticCorpus:
    """The options of a planted corpus; not every scenario has each of them."""

    kind: str
    n: int
    length: int
    classes: int
    needles: int
    fillers: int
    cues: int
    strength: float
    noise: float
    vary: bool
    opening: bool
    ending: bool
    positives: float

    @property
    def bounds(self) -> tuple[int, int]:
        """The least and largest number of words of a text, without opening and ending."""
        return (
            (-(-2 * self.length // 3), 4 * self.length // 3)
            if self.vary
            else (self.length, self.length)
        )

    @property
    def longest(self) -> int:
        """The number of words of the longest text."""
        return self.bounds[1] + self.opening + self.ending

    @property
    def label_names(self) -> tuple[str, ...]:
        """The names of the classes."""
        return CLASSES[: self.classes]


def plant(part: Part, seed: int) -> Dataset:
    """Generate a corpus such as ``needle(n=2000,length=30)``: 60 % training, 15 % validation, 25 %
    test texts.

    The same part and seed give the same texts. Classes have their shares within each split, to one
    text: equal, or as ``positives`` says. ``Example.rationale`` marks the evidence. The card's
    ``best_accuracy`` is the accuracy of the best possible rule on new texts, and
    ``bag_of_words_accuracy`` that without word order.
    """
    world = read_world(part)
    best = best_accuracy(world)
    return dataset_of(
        part,
        world.label_names,
        _labels(world, seed),
        lambda index, label: _example(world, index, label, seed),
        best_accuracy=best,
        bag_of_words_accuracy=0.5 if world.kind == "negated" else best,
        evidence=_EVIDENCE[world.kind],
        seed=seed,
    )


def dataset_of(
    part: Part,
    label_names: tuple[str, ...],
    labels: Mapping[str, Sequence[int]],
    example: Callable[[int, int], Example],
    **about: Any,
) -> Dataset:
    """Make a corpus from the labels of each split. ``example`` generates a text from its number and
    its label; ``about`` are further entries of the card.
    """
    splits: dict[str, Split] = {}
    for name in SPLITS:
        first = sum(map(len, splits.values()))
        splits[name] = tuple(example(first + row, label) for row, label in enumerate(labels[name]))
    card = make_card(splits, label_names, source=f"planted:{part}", **about)
    train, validation, test = (splits[name] for name in SPLITS)
    return Dataset(f"planted:{part}", train, validation, test, label_names, card)


def read_world(part: Part) -> SyntheticCorpus:
    """Read the options of a planted corpus, with defaults for unset ones; an invalid value is an
    error.
    """
    options = _FIXED | resolve_options("planted", part)
    options["cues"] = options.pop(
        "count", options["cues"]
    )  # needle calls it count, vote calls it cues
    world = SyntheticCorpus(part.name, **options)
    check_demands(part, _demands(world))
    return world


def check_demands(part: Part, demands: Sequence[tuple[bool, str]]) -> None:
    """Refuse options that break a demand; each demand has a description for the error."""
    for good, wanted in demands:
        if not good:
            raise SpecError(f"planted:{part}: expected {wanted}")


_FIXED: dict[str, Any] = {"classes": 2, "cues": 1, "strength": 1.0, "positives": 0.5}
"""Options that a scenario fixes."""
_MORE_WORDS: Mapping[str, int] = {"needle": 1, "vote": 0, "negated": 3, "detector": 1}
"""The least number of words in addition to the cues: 0 for a vote, where every word may be
evidence."""


def _demands(world: SyntheticCorpus) -> list[tuple[bool, str]]:
    """List the joint demands on the options, each with its description."""
    least, shortest = world.cues + _MORE_WORDS[world.kind], world.bounds[0]
    smallest = min(sizes_of(world.n).values())
    rarest = smallest // world.classes if world.kind != "detector" else _positives(world, smallest)
    return [
        (
            0 < rarest < smallest,
            (
                f"a text of each of {world.classes} classes in each split, got n={world.n}; make "
                "n larger"
            ),
        ),
        (
            shortest >= least,
            (
                f"texts with at least {least} words, got {shortest} in the shortest; make length "
                "larger"
            ),
        ),
    ]


def best_accuracy(world: SyntheticCorpus) -> float:
    """Give the accuracy of the best possible rule on new texts.

    With ``a`` from the module's formula, a cue that is right with probability ``a`` and else points
    to each other class equally often is worth ``max(a, (1 − a) / (classes − 1))``: ``needle``,
    whose cues all agree, and ``negated``. For ``vote``, the majority of k cues, each right with
    probability ``q = max(strength, 1 − strength)``, is right with

        b = Σ_{j > k/2} C(k, j) q^j (1 − q)^(k−j)  +  ½ C(k, k/2) (q (1 − q))^(k/2)  where k is even

    which replaces ``strength`` in ``a``. For ``detector``, with the share p of positives and the
    noise ν, the cue is present or absent, and each case gets its likelier label:

        max(p (1 − ν), (1 − p) ν)  +  max(p ν, (1 − p) (1 − ν))
    """
    if world.kind == "detector":
        rare, common, noise = world.positives, 1 - world.positives, world.noise
        return max(rare * (1 - noise), common * noise) + max(rare * noise, common * (1 - noise))
    right = (
        _majority(world.cues, max(world.strength, 1 - world.strength))
        if world.kind == "vote"
        else world.strength
    )
    others = world.classes - 1
    right = right * (1 - world.noise) + (1 - right) * world.noise / others
    return max(right, (1 - right) / others)


def _majority(cues: int, right: float) -> float:
    chances = [
        math.comb(cues, good) * right**good * (1 - right) ** (cues - good)
        for good in range(cues + 1)
    ]
    return sum(
        chance * (1.0 if 2 * good > cues else 0.5 if 2 * good == cues else 0.0)
        for good, chance in enumerate(chances)
    )


def sizes_of(n: int) -> dict[str, int]:
    """Divide ``n`` texts: 60 % training, 15 % validation, 25 % test."""
    sizes = {name: round(_SHARES[name] * n) for name in ("validation", "test")}
    return {"train": n - sum(sizes.values())} | sizes


def balanced_labels(classes: int, n: int, seed: int) -> dict[str, list[int]]:
    """Give the labels of each split in random order, with equal classes."""
    return {
        name: _shuffled(np.arange(size) % classes, seed, name) for name, size in sizes_of(n).items()
    }


def _shuffled(labels: Int[np.ndarray, " N"], seed: int, split: str) -> list[int]:
    found: list[int] = Seeds(seed).generator("planted.labels", split).permutation(labels).tolist()
    return found


def _labels(world: SyntheticCorpus, seed: int) -> dict[str, list[int]]:
    """Give the labels of each split in random order, with equal classes or the share
    ``positives``.
    """
    if world.kind != "detector":
        return balanced_labels(world.classes, world.n, seed)
    return {
        name: _shuffled((np.arange(size) < _positives(world, size)).astype(int), seed, name)
        for name, size in sizes_of(world.n).items()
    }


def _positives(world: SyntheticCorpus, size: int) -> int:
    return round(world.positives * size)


def _example(world: SyntheticCorpus, index: int, label: int, seed: int) -> Example:
    """Generate one text; it depends on its own seed only."""
    generator = Seeds(seed).generator("planted.text", index)
    # The label has an exact share, so noise draws the truth from the label. With balanced classes,
    # the joint law is the same as when drawing the label from the truth, because the channel is
    # symmetric.
    truth = channel(label, 1 - world.noise, world.classes, generator)
    length = int(generator.integers(world.bounds[0], world.bounds[1] + 1))
    words = [filler(int(number)) for number in generator.integers(world.fillers, size=length)]
    marks = [False] * length
    for position, word, evidence in _WRITERS[world.kind](world, truth, length, generator):
        words[position], marks[position] = word, evidence
    words = [OPENING] * world.opening + words + [ENDING] * world.ending
    marks = [False] * world.opening + marks + [False] * world.ending
    text = " ".join(words)
    tokens, offsets = tokenise(text)
    return Example(
        f"{world.kind}:{index}", index, text, tokens, offsets, label, rationale=tuple(marks)
    )


def channel(label: int, keep: float, classes: int, generator: np.random.Generator) -> int:
    """Keep a class with probability ``keep``, else draw one of the others."""
    shift = int(generator.integers(1, classes))
    return label if generator.random() < keep else (label + shift) % classes


def filler(number: int) -> str:
    """Name a filler: four letters, such as 'sode'; 2731 and 6400 are coprime, so names are
    distinct.
    """
    first, second = divmod(number * 2731 % FILLERS, len(_SYLLABLES))
    return _SYLLABLES[first] + _SYLLABLES[second]


def _cue(world: SyntheticCorpus, pointed: int, generator: np.random.Generator) -> str:
    return f"{CLASSES[pointed]}{int(generator.integers(world.needles)) + 1}"


def _needle(
    world: SyntheticCorpus, truth: int, length: int, generator: np.random.Generator
) -> Placed:
    pointed = channel(truth, world.strength, world.classes, generator)
    places = generator.permutation(length)[: world.cues].tolist()
    return [(place, _cue(world, pointed, generator), True) for place in places]


def _vote(
    world: SyntheticCorpus, truth: int, length: int, generator: np.random.Generator
) -> Placed:
    places = generator.permutation(length)[: world.cues].tolist()
    pointed = [channel(truth, world.strength, world.classes, generator) for _ in places]
    return [
        (place, _cue(world, one, generator), True)
        for place, one in zip(places, pointed, strict=True)
    ]


def _negated(
    world: SyntheticCorpus, truth: int, length: int, generator: np.random.Generator
) -> Placed:
    """Put one cue and one "not" in every text, so that only their order matters; the cue is never
    first.
    """
    flipped = bool(generator.random() < 0.5)
    place = int(generator.integers(1, length))
    elsewhere = [other for other in range(length) if other not in (place - 1, place)]
    negation = place - 1 if flipped else int(generator.choice(elsewhere))
    pointed = 1 - truth if flipped else truth
    return [(negation, "not", flipped), (place, _cue(world, pointed, generator), True)]


def _detector(
    world: SyntheticCorpus, truth: int, length: int, generator: np.random.Generator
) -> Placed:
    places = generator.permutation(length)[: world.cues].tolist()
    return [(place, _cue(world, 1, generator), True) for place in places if truth == 1]


_WRITERS: Mapping[str, Callable[[SyntheticCorpus, int, int, np.random.Generator], Placed]] = {
    "needle": _needle,
    "vote": _vote,
    "negated": _negated,
    "detector": _detector,
}
_EVIDENCE = {
    "needle": "the cue words, named after the class they point to",
    "vote": "the cue words, named after the class they point to; their majority decides",
    "negated": 'the cue word, and "not" where it stands right before the cue and turns it',
    "detector": "the cue words of the second class; the first class has none",
}
