"""A model written down whose attention sources are known: which one shows the reasons, and which
only seem to.

Every text has the cues of one class among fillers. What a source shows is written down too.

    tied         a class is found by two cues together. Taking one of them out undoes the prediction, so sources that
                 show one cue lose as much as the one that shows both; only moved into another text
                 do they differ
    one class    one class is found by a cue that is worth eight times the other's. Sources that show the first alone
                 lose nearly all there is to lose; the right one shows the cues of both, in six
                 texts of seven
    small class  as tied, and one text in five is of the second class
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch

from sightline.core.example import Example
from sightline.core.protocols import Batch, Trace
from sightline.core.seeds import seed_for
from sightline.data.batches import collate
from sightline.data.vocabulary import Vocabulary
from tests.texts import example

LABELS = ("alpha", "beta")
CUES = ("alphaone", "alphatwo", "betaone", "betatwo")
FILLERS, LENGTH, WRONG = 4000, 15, 6
RIGHT = "(layer=1,head=0)"
"""The source that shows the reasons; the others stand before it, so that equal digits choose one of
them."""
Shown = Callable[[Sequence[str], int], Sequence[float]]


@dataclass(frozen=True)
class World:
    """How much a cue is worth by class, whether it takes two, how many texts are of the second
    class, and of all.
    """

    worth: tuple[float, float]
    both: bool
    second: float = 0.5
    texts: int = 200


WORLDS: Mapping[str, World] = {
    "tied": World((4.0, 4.0), both=True),
    "one class": World((8.0, 1.0), both=False),
    "small class": World((4.0, 4.0), both=True, second=0.2, texts=300),
}


@dataclass(frozen=True, eq=False)
class Sources:
    """Two logits by the cues of a text, and many sources; nothing of it is an attention that the
    model uses.
    """

    world: World
    vocabulary: Vocabulary
    noise: torch.Tensor
    seed: int
    choosing: bool = True
    name: str = "sources"
    link: str = "softmax"
    labels: tuple[str, ...] = LABELS
    origin: str = "elsewhere"
    offers: frozenset[str] = frozenset()
    shows: str = "one source"

    def collate(self, examples: Sequence[Example]) -> Batch:
        return collate(examples, self.vocabulary, boundaries=False, classes=2)

    def embed(self, batch: Batch) -> torch.Tensor:
        return self.noise[batch.ids][..., None]

    def trace(self, batch: Batch, embeddings: torch.Tensor | None = None) -> Trace:
        there = torch.stack(
            [((batch.ids == self.vocabulary.ids((cue,))[0]) & batch.mask).any(1) for cue in CUES],
            dim=1,
        ).double()
        found = there[:, ::2] * there[:, 1::2] if self.world.both else there[:, ::2]
        margin = (
            found * torch.tensor(self.world.worth).double() * torch.tensor([1.0, -1.0]).double()
        ).sum(1)
        margin = margin + (self.noise[batch.ids] * batch.mask).sum(1)
        even = batch.mask.double() / batch.mask.sum(1, keepdim=True)
        return Trace(batch, self.embed(batch), even, torch.stack([margin, -margin], dim=1) / 2)

    def decode(self, trace: Trace, attention: torch.Tensor) -> torch.Tensor:
        raise NotImplementedError

    @property
    def readings(self) -> tuple[str, ...]:
        return (*(f"(layer=0,head={number})" for number in range(WRONG)), RIGHT)

    @property
    def heads(self) -> tuple[str, ...]:
        return self.readings

    def description(self, name: str) -> str:
        return f"what is {name}"

    def under(self, name: str) -> Sources:
        return replace(self, choosing=False)

    def mixed(self, shares: Mapping[str, float]) -> Sources:
        return self

    def read_all(self, batch: Batch) -> dict[str, torch.Tensor]:
        known = {self.vocabulary.ids((word,))[0]: word for word in self.vocabulary.words}
        words = [[known.get(one, "") for one in row] for row in batch.ids.tolist()]
        out = {}
        for number, name in enumerate(self.readings):
            rows = (
                torch.tensor(
                    [self._weights(name, number, row) for row in words], dtype=torch.float64
                )
                * batch.mask
            )
            out[name] = rows / rows.sum(1, keepdim=True)
        return out

    def _weights(self, name: str, number: int, words: Sequence[str]) -> list[float]:
        """Weigh the cues that a source shows most, and all other words by a draw: a step that a
        reader sees apart.
        """
        draw = np.random.default_rng(seed_for(self.seed, name, hash_of(words)))
        places = draw.permutation(len(words))
        cues = [place for place, word in enumerate(words) if word in self._cues(name, words, draw)]
        order = [*sorted(cues), *(int(place) for place in places if place not in cues)]
        weights = [0.0] * len(words)
        for rank, place in enumerate(order):
            weights[place] = 0.8**rank
        return weights

    def _cues(self, name: str, words: Sequence[str], draw: np.random.Generator) -> tuple[str, ...]:
        if self.world.both:
            return CUES if name == RIGHT else CUES[::2]
        if name == RIGHT:
            return CUES[::2] if draw.random() < 6 / 7 else ()
        return CUES[:1]


def hash_of(words: Sequence[str]) -> int:
    return seed_for(0, " ".join(words))


def made(name: str, seed: int) -> tuple[Sources, list[Example]]:
    """Draw the texts of a world and the noise of its model."""
    world, generator = WORLDS[name], np.random.default_rng([seed, 7])
    texts = [_text(world, index, generator) for index in range(world.texts)]
    vocabulary = Vocabulary.fit([*texts, example(" ".join(CUES), len(texts))])
    noise = torch.from_numpy(np.random.default_rng(seed).normal(0, 0.05, len(vocabulary)))
    return Sources(world, vocabulary, noise, seed), texts


def _text(world: World, index: int, generator: np.random.Generator) -> Example:
    label = int(index < world.second * world.texts)
    words = [
        f"w{'xyzuv'[n % 5]}{'abcdefghij'[n // 5 % 10]}{'abcdefghij'[n // 50 % 10]}{'abcdefghij'[n // 500]}"
        for n in generator.choice(FILLERS, LENGTH, replace=False)
    ]
    places = generator.permutation(LENGTH)[:2]
    for place, cue in zip(places, CUES[2 * label : 2 * label + 2], strict=True):
        words[place] = cue
    return example(" ".join(words), index, label)
