"""Questions about a small world, generated after bAbI (Weston et al. 2016): the story is attended
to, one word answers.

People go to places, take things with them and leave them; a story has ``sentences`` of them. The
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
from sightline.config.registry import chosen
from sightline.core.errors import SpecError
from sightline.core.example import Example
from sightline.core.seeds import Seeds
from sightline.core.tokeniser import tokenise
from sightline.data.dataset import SPLITS, Dataset, Split, make_card
from sightline.data.synthetic.cue_words import balanced, check_demands, sizes_of

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
    """The options of a world: facts an answer needs, sentences of a story, and who and what there
    is.
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
        """Words of the longest story, full stops included."""
        return SENTENCE * self.sentences


@dataclass(frozen=True)
class StoryQuestion:
    """What is asked of a story: its words (a place in them by number), the answer, and the
    sentences that give it.
    """

    words: tuple[str | int, ...]
    answer: int
    facts: frozenset[int]


@dataclass
class Thing:
    """Where a thing is known to have been: who has it, the sentence that says so, and the ways it
    was carried.
    """

    holder: str = ""
    place: int = -1
    since: int = -1
    facts: frozenset[int] = frozenset()
    ways: list[tuple[int, int, frozenset[int]]] = field(default_factory=list)
    """From where to where, and the sentences that tell it."""


@dataclass
class Story:
    """Sentences (a place in them by number), and what follows from them so far."""

    sentences: list[tuple[str | int, ...]] = field(default_factory=list)
    at: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Where each person went last, and the sentence that says so."""
    things: dict[str, Thing] = field(default_factory=dict)

    def go(self, person: str, place: int) -> None:
        """A person goes to a place, and carries along what is held."""
        here, (before, since) = len(self.sentences), self.at.get(person, (-1, -1))
        self.sentences.append((person, "went", "to", "the", place, "."))
        self.at[person] = place, here
        for thing in (one for one in self.things.values() if one.holder == person):
            thing.ways.append((before, place, frozenset({since, thing.since, here})))
            thing.place, thing.facts = place, frozenset({thing.since, here})

    def take(self, person: str, name: str) -> None:
        """A person takes a thing along, from where both are."""
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
        """A person leaves a thing where it is."""
        thing, (_, since) = self.things[name], self.at[person]
        thing.holder, thing.facts = "", frozenset({since, len(self.sentences)})
        self.sentences.append((person, "left", "the", name, "."))


def read_questions(part: Part) -> Questions:
    """Read the options, at their defaults where unset; a value that makes no sense is an error."""
    world = Questions(**chosen("planted", part))
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
    """Generate stories with a question each; no two are the same, and each place is the answer
    equally often.
    """
    world = read_questions(part)
    names = PLACES[: world.places]
    splits: dict[str, Split] = {}
    seen: set[tuple[str, ...]] = set()
    for name, size in sizes_of(world.n).items():
        first, labels = sum(map(len, splits.values())), balanced(world.places, size, seed, name)
        splits[name] = tuple(
            _new(world, part, first + row, label, seed, seen) for row, label in enumerate(labels)
        )
    # Where only the places of the story are candidates, they tell something before anything is
    # read.
    blind: dict[str, Any] = (
        {} if world.named else {"query_only_accuracy": 1 / (world.places - (world.facts == 3))}
    )
    card = make_card(
        splits,
        names,
        source=f"planted:{part}",
        best_accuracy=1.0,
        evidence=f"the sentences from which the answer follows, {world.facts} of {world.sentences}",
        seed=seed,
        **blind,
    )
    return Dataset(
        f"planted:{part}", **{name: splits[name] for name in SPLITS}, label_names=names, card=card
    )


def _new(
    world: Questions, part: Part, index: int, label: int, seed: int, seen: set[tuple[str, ...]]
) -> Example:
    """Write one story with its question, other than all before it."""
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
    """Draw sentences, each of which can happen after those before it; no place is preferred to
    another.
    """
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
    """List what a person may take (it is here, or nobody knows where) or leave."""
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
    """List every question that the story answers with as many facts as asked for."""
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
    """Name the places so that the answer is the label: the two change names, which no law of the
    world sees.
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
