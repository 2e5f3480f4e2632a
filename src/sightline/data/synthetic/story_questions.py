"""Synthetic questions about stories, after bAbI (Weston et al. 2016): attention reads the story,
and one word answers.

People go to places, take things and leave them; a story has ``sentences`` such sentences. The
answer is a place and follows from ``facts`` sentences:

* 1, "where is mary": she went there last;
* 2, "where is the ball": who took or left it last, and where that person went last (until then, if it was left);
* 3, "where was the ball before the kitchen": who took it, where that person had gone, and the last way it was carried.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sightline.config.data_parts import SENTENCE
from sightline.config.part_syntax import Part
from sightline.config.registry import resolve_options
from sightline.core.errors import SpecError
from sightline.core.example import Example
from sightline.core.seeds import Seeds
from sightline.core.tokeniser import tokenise
from sightline.data.dataset import Dataset
from sightline.data.synthetic.cue_words import balanced_labels, check_demands, dataset_of, sizes_of

PEOPLE = ("mary", "john", "sandra", "daniel", "julie", "fred", "emma", "bill")
PLACES = (
    "garden",
    "kitchen",
    "office",
    "hallway",
    "bathroom",
    "bedroom",
    "park",
    "school",
    "cinema",
    "cellar",
)
THINGS = ("ball", "milk", "apple", "book", "lamp", "key", "box", "hat")
_TRIES = 1000


@dataclass(frozen=True)
class Questions:
    """The options: facts that an answer needs, sentences of a story, and its people, places and
    things.
    """

    n: int
    facts: int
    sentences: int
    people: int
    places: int
    things: int
    named: bool

    @property
    def longest(self) -> int:
        """The number of words of the longest story, including full stops."""
        return SENTENCE * self.sentences


@dataclass(frozen=True)
class StoryQuestion:
    """A question about a story: its words (places as numbers), the answer, and the supporting
    sentences.
    """

    words: tuple[str | int, ...]
    answer: int
    facts: frozenset[int]


@dataclass
class Thing:
    """The known history of a thing: its holder, the sentence that shows it, and the moves it was
    carried on.
    """

    holder: str = ""
    place: int = -1
    since: int = -1
    facts: frozenset[int] = frozenset()
    ways: list[tuple[int, int, frozenset[int]]] = field(default_factory=list)
    """Moves from one place to another, with the sentences that show them."""


@dataclass
class Story:
    """The sentences so far (places as numbers), and the facts that follow from them."""

    sentences: list[tuple[str | int, ...]] = field(default_factory=list)
    at: dict[str, tuple[int, int]] = field(default_factory=dict)
    """The last known place of each person, with the sentence that shows it."""
    things: dict[str, Thing] = field(default_factory=dict)

    def go(self, person: str, place: int) -> None:
        """Move a person, with everything held, to a place."""
        here, (before, since) = len(self.sentences), self.at.get(person, (-1, -1))
        self.sentences.append((person, "went", "to", "the", place, "."))
        self.at[person] = place, here
        for thing in (one for one in self.things.values() if one.holder == person):
            thing.ways.append((before, place, frozenset({since, thing.since, here})))
            thing.place, thing.facts = place, frozenset({thing.since, here})

    def take(self, person: str, name: str) -> None:
        """Let a person take a thing at the same place."""
        thing, (place, since) = self.things.setdefault(name, Thing()), self.at[person]
        here = len(self.sentences)
        self.sentences.append((person, "took", "the", name, "."))
        thing.holder, thing.place, thing.since, thing.facts = (
            person,
            place,
            here,
            frozenset({since, here}),
        )

    def leave(self, person: str, name: str) -> None:
        """Let a person leave a thing."""
        thing, (_, since) = self.things[name], self.at[person]
        thing.holder, thing.facts = "", frozenset({since, len(self.sentences)})
        self.sentences.append((person, "left", "the", name, "."))


def read_questions(part: Part) -> Questions:
    """Read the options, with defaults for unset ones; an invalid value is an error."""
    world = Questions(**resolve_options("planted", part))
    demands = [
        (
            world.sentences >= world.facts,
            f"a sentence for each of {world.facts} facts, got sentences={world.sentences}",
        ),
        (
            min(sizes_of(world.n).values()) >= world.places,
            f"a question for each place in each split, got n={world.n}",
        ),
    ]
    check_demands(part, demands)
    return world


def plant_questions(part: Part, seed: int) -> Dataset:
    """Generate distinct stories with one question each; each place is the answer equally often."""
    world = read_questions(part)
    seen: set[tuple[str, ...]] = set()
    # If only the places of the story were candidates, they would be informative by themselves.
    blind: dict[str, Any] = (
        {} if world.named else {"query_only_accuracy": 1 / (world.places - (world.facts == 3))}
    )
    return dataset_of(
        part,
        PLACES[: world.places],
        balanced_labels(world.places, world.n, seed),
        lambda index, label: _new(world, part, index, label, seed, seen),
        best_accuracy=1.0,
        evidence=f"the sentences from which the answer follows, {world.facts} of {world.sentences}",
        seed=seed,
        **blind,
    )


def _new(
    world: Questions, part: Part, index: int, label: int, seed: int, seen: set[tuple[str, ...]]
) -> Example:
    """Generate one story with its question, different from all earlier ones."""
    generator = Seeds(seed).generator("planted.world", index)
    for _ in range(_TRIES):
        story = _tell(world, generator)
        questions = _questions(world, story)
        if not questions:
            continue
        example = _example(
            world, index, label, story, questions[int(generator.integers(len(questions)))]
        )
        key = (*example.tokens, "?", *(example.query or ()))
        if key not in seen:
            seen.add(key)
            return example
    raise SpecError(
        f"planted:{part}: expected room for {world.n} different stories; make sentences "
        "larger, or n smaller"
    )


def _tell(world: Questions, generator: np.random.Generator) -> Story:
    """Draw sentences that are possible after the earlier ones, without preferring any place."""
    story = Story()
    for _ in range(world.sentences):
        person = PEOPLE[int(generator.integers(world.people))]
        deeds = _deeds(world, story, person) if world.facts > 1 and generator.random() < 0.5 else []
        if deeds:
            deed, thing = deeds[int(generator.integers(len(deeds)))]
            (story.leave if deed == "leave" else story.take)(person, thing)
        else:
            elsewhere = [
                place for place in range(world.places) if place != story.at.get(person, (-1, -1))[0]
            ]
            story.go(person, elsewhere[int(generator.integers(len(elsewhere)))])
    return story


def _deeds(world: Questions, story: Story, person: str) -> list[tuple[str, str]]:
    """List the things that a person may take (here, or at an unknown place) or leave."""
    if person not in story.at:
        return []
    here, deeds = story.at[person][0], []
    for name in THINGS[: world.things]:
        thing = story.things.get(name, Thing(place=here))
        if thing.holder == person:
            deeds.append(("leave", name))
        elif not thing.holder and thing.place == here:
            deeds.append(("take", name))
    return deeds


def _questions(world: Questions, story: Story) -> list[StoryQuestion]:
    """List every question that the story answers with the required number of facts."""
    if world.facts == 1:
        return [
            StoryQuestion(("where", "is", who), place, frozenset({at}))
            for who, (place, at) in story.at.items()
        ]
    known = story.things.items()
    if world.facts == 2:
        return [
            StoryQuestion(("where", "is", "the", name), thing.place, thing.facts)
            for name, thing in known
        ]
    last = [(name, thing.ways[-1]) for name, thing in known if thing.ways]
    return [
        StoryQuestion(("where", "was", "the", name, "before", "the", after), before, facts)
        for name, (before, after, facts) in last
    ]


def _example(
    world: Questions, index: int, label: int, story: Story, question: StoryQuestion
) -> Example:
    """Rename two places so that the answer is the label; the rules of the story are symmetric in
    places.
    """
    numbers = list(range(world.places))
    numbers[question.answer], numbers[label] = label, question.answer
    written = [_written(sentence, numbers) for sentence in story.sentences]
    text = " ".join(" ".join(words[:-1]) + words[-1] for words in written)
    marks = tuple(number in question.facts for number, words in enumerate(written) for _ in words)
    places = {
        numbers[word] for sentence in story.sentences for word in sentence if isinstance(word, int)
    }
    candidates = tuple(sorted(places)) if world.named else tuple(range(world.places))
    query = _written(question.words, numbers)
    return Example(f"world:{index}", index, text, *tokenise(text), label, query, candidates, marks)


def _written(words: Sequence[str | int], numbers: Sequence[int]) -> tuple[str, ...]:
    return tuple(PLACES[numbers[word]] if isinstance(word, int) else word for word in words)
