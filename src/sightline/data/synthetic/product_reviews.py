"""Synthetic reviews of films and products in plain English, with one planted opinion word each.

Every sentence comes from a template. All but one state facts that occur equally often in both
classes. One sentence holds the opinion word, which points to the class of the review with
probability ``strength``:

    I saw this film in March with my sister. The story follows a teacher from Lisbon. To me the
    ending was wonderful. It runs for 104 minutes.

The opinion word is the only evidence, so ``max(strength, 1 − strength)`` is the best accuracy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from string import Formatter

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
    sizes_of,
)

LABELS = ("negative", "positive")
OPINIONS: Mapping[str, tuple[str, ...]] = {
    "negative": (
        "terrible",
        "boring",
        "dreadful",
        "poor",
        "disappointing",
        "horrible",
        "tedious",
        "bad",
    ),
    "positive": (
        "wonderful",
        "superb",
        "delightful",
        "great",
        "charming",
        "brilliant",
        "lovely",
        "perfect",
    ),
}
"""The planted words; no template contains them."""
OPINION = "opinion"
"""The slot of a template that a planted word fills."""


@dataclass(frozen=True)
class Subject:
    """What a review is about: sentences of facts, and sentences that hold the opinion."""

    facts: tuple[str, ...]
    opinions: tuple[str, ...]


FILM = Subject(
    facts=(
        "I saw this film in {month} with my {relative}.",
        "It runs for {minutes} minutes.",
        "The story follows a {job} from {town}.",
        "The second half takes place in {town}.",
        "There is a long scene in a {room}.",
        "My {relative} had read the book before.",
        "Most of it was filmed near {town}.",
        "The {job} leaves town after the first hour.",
        "We watched it at home on a {day}.",
        "There are {few} songs and a short dance.",
        "The main part is played by a {job} who had never acted before.",
        "It was made in {town} and dubbed for our cinema.",
    ),
    opinions=(
        "I found the film {opinion}.",
        "To me the ending was {opinion}.",
        "The acting is {opinion} from start to finish.",
        "On the whole it is a {opinion} film.",
        "We all thought the music was {opinion}.",
    ),
)
PRODUCT = Subject(
    facts=(
        "I bought this {product} in {month} for my {relative}.",
        "It arrived on a {day} in a {colour} box.",
        "The manual has {minutes} pages in {few} languages.",
        "We keep it in the {room}.",
        "My {relative} uses it once a week.",
        "It comes with {few} screws and a {colour} cable.",
        "The one we had before was {colour}.",
        "It is made near {town}.",
        "You can set it up in {few} steps.",
        "It weighs about as much as a {product}.",
        "A {job} in our street has the same one.",
        "The shop sent it from {town}.",
    ),
    opinions=(
        "I find this {product} {opinion}.",
        "For the price it is {opinion}.",
        "It is a {opinion} {product}.",
        "The finish is {opinion} all round.",
        "After {few} weeks I still call it {opinion}.",
    ),
)
SUBJECTS = (FILM, PRODUCT)
SLOTS: Mapping[str, tuple[str, ...]] = {
    "month": ("January", "March", "May", "June", "August", "October"),
    "relative": ("sister", "brother", "mother", "father", "cousin", "neighbour"),
    "minutes": ("84", "96", "104", "112", "121"),
    "few": ("two", "three", "four", "five", "six"),
    "job": ("teacher", "farmer", "pilot", "nurse", "painter", "baker"),
    "town": ("Lisbon", "Dublin", "Prague", "Oslo", "Naples", "Boston"),
    "room": ("kitchen", "garage", "cellar", "hallway", "library"),
    "day": ("Monday", "Tuesday", "Friday", "Sunday"),
    "colour": ("grey", "blue", "green", "white", "brown"),
    "product": ("lamp", "kettle", "toaster", "radio", "clock"),
}
"""The words for the other slots, which are independent of the class."""


@dataclass(frozen=True)
class ReviewOptions:
    """The options of a corpus of reviews."""

    n: int
    sentences: int
    opinions: int
    strength: float

    @property
    def longest(self) -> int:
        """Upper bound on the words and full stops of a review."""
        return self.sentences * LONGEST


def read_reviews(part: Part) -> ReviewOptions:
    """Read the options, with defaults for unset ones; an invalid value is an error."""
    options = ReviewOptions(**resolve_options("planted", part))
    smallest = min(sizes_of(options.n).values())
    enough = smallest >= len(LABELS)
    check_demands(part, [(enough, f"a text of each class in each split, got n={options.n}")])
    return options


def plant_reviews(part: Part, seed: int) -> Dataset:
    """Generate reviews: 60 % training, 15 % validation, 25 % test texts, classes balanced in each.

    `Example.rationale` marks the opinion word, and the card states the best accuracy.
    """
    options = read_reviews(part)
    best = max(options.strength, 1 - options.strength)
    return dataset_of(
        part,
        LABELS,
        balanced_labels(len(LABELS), options.n, seed),
        lambda index, label: _example(options, index, label, seed),
        best_accuracy=best,
        bag_of_words_accuracy=best,
        evidence="the opinion word, which names the class",
        seed=seed,
    )


def _example(options: ReviewOptions, index: int, label: int, seed: int) -> Example:
    """Generate one review; it depends on its own seed only."""
    generator = Seeds(seed).generator("planted.review", index)
    pointed = LABELS[channel(label, options.strength, len(LABELS), generator)]
    word = _one_of(OPINIONS[pointed][: options.opinions], generator)
    subject = SUBJECTS[int(generator.integers(len(SUBJECTS)))]
    facts = generator.permutation(len(subject.facts))[: options.sentences - 1].tolist()
    templates = [subject.facts[fact] for fact in facts]
    place = int(generator.integers(options.sentences))
    templates.insert(place, _one_of(subject.opinions, generator))
    text = " ".join(_filled(template, word, generator) for template in templates)
    tokens, offsets = tokenise(text)
    marks = tuple(token == word for token in tokens)
    return Example(f"review:{index}", index, text, tokens, offsets, label, rationale=marks)


def _filled(template: str, opinion: str, generator: np.random.Generator) -> str:
    words = {slot: _one_of(SLOTS[slot], generator) for slot in _slots(template) if slot in SLOTS}
    return template.format_map(words | {OPINION: opinion})


def _slots(template: str) -> list[str]:
    return [slot for _, slot, _, _ in Formatter().parse(template) if slot]


def _one_of(words: Sequence[str], generator: np.random.Generator) -> str:
    return words[int(generator.integers(len(words)))]


LONGEST = max(
    len(template.rstrip(".").split()) + 1
    for subject in SUBJECTS
    for template in (*subject.facts, *subject.opinions)
)
"""Words in the longest sentence, with its full stop: every slot holds one word."""
