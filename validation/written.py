"""Models written in a few lines, and their texts: what each predicts by is known, whatever its map
shows.

They need nothing but `sightline.wrap` and `sightline.data_from`, so that the same model can be
audited by an earlier commit. A word has a few numbers; the margin of class beta over class alpha is
a function of them, and so is the map.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch

import sightline

LABELS = ("alpha", "beta")
FILLERS = tuple(f"w{number}" for number in range(400))
EVIDENCE, CODE, FILLER, FIRST, SECOND, ENDING = range(6)
"""The numbers of a word: what it adds to the margin, its code, whether it is a filler, and three
marks."""
CUE, STRONG, FAINT = 4.0, 3.0, 0.01
"""What a cue adds to the margin; the weight of a highlighted word, and of another word."""
Margin = Callable[[torch.Tensor, torch.Tensor, torch.Tensor], torch.Tensor]
"""Numbers of words, their ids and the mask → margins."""
Map = Callable[[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor], torch.Tensor]
"""The same and the margins → weights, which are scaled to sum to one."""


def hashed(ids: torch.Tensor, among: int) -> torch.Tensor:
    """Assign each number one of so many codes."""
    mixed = (ids.long() * 2654435761) % 2**32
    mixed = (mixed ^ (mixed >> 15)) * 2246822519 % 2**32
    return (mixed >> 7) % among


@dataclass(frozen=True)
class Lexicon:
    """The vocabulary of a model, by number, with the numbers of each word; 0 is padding and 1 any
    other word.
    """

    places: Mapping[str, int]
    table: torch.Tensor

    def ids(self, words: Iterable[str]) -> list[int]:
        """Give the number of each word."""
        return [self.places.get(word, 1) for word in words]


def lexicon(words: Mapping[str, Mapping[int, float]]) -> Lexicon:
    """Number fillers and other words; a filler adds next to nothing to the margin."""
    names = (*FILLERS, *words)
    table = torch.zeros((len(names) + 2, 6), dtype=torch.float64)
    drawn = np.random.default_rng(5).normal(0, 0.05, len(FILLERS))
    codes = hashed(torch.arange(2, len(FILLERS) + 2), 2)
    for number, evidence in enumerate(drawn):
        table[number + 2, [EVIDENCE, CODE, FILLER]] = torch.tensor(
            [evidence, float(codes[number]), 1.0]
        ).double()
    for number, numbers in enumerate(words.values()):
        for column, value in numbers.items():
            table[len(FILLERS) + 2 + number, column] = value
    return Lexicon({name: number + 2 for number, name in enumerate(names)}, table)


@dataclass(frozen=True)
class Written:
    """A model: its words, its margin, and the map that it shows, which it may also use."""

    lexicon: Lexicon
    margin: Margin
    shows: Map
    states: Callable[[torch.Tensor], torch.Tensor] | None = None
    """What attention mixes, if the model uses it: the margin is the weighted sum of these."""
    scale: float = 1.0
    name: str = "written"
    most: int = 10_000

    def wrapped(self) -> Any:
        """Make it a model that can be audited."""
        used = self.states is not None
        return sightline.wrap(
            torch.nn.Identity().eval(),
            link="sigmoid",
            labels=LABELS,
            name=self.name,
            collate=self._collate,
            embed=lambda batch: self.lexicon.table[batch.ids],
            trace=self._trace,
            decode=self._decoded if used else None,
            token_logits=(lambda traced: self.scale * traced["states"][..., None])
            if used
            else None,
        )

    def _collate(self, examples: Sequence[Any]) -> tuple[torch.Tensor, torch.Tensor]:
        rows = [self.lexicon.ids(one.tokens[: self.most]) for one in examples]
        width = max(map(len, rows))
        ids = torch.tensor([row + [0] * (width - len(row)) for row in rows])
        return ids, ids > 0

    def _trace(self, batch: Any, numbers: torch.Tensor) -> dict[str, torch.Tensor]:
        there = numbers * batch.mask[..., None]
        margins = self.margin(there, batch.ids, batch.mask)
        known = self.lexicon.table[batch.ids] * batch.mask[..., None]
        weights = self.shows(known, batch.ids, batch.mask, margins.detach()) * batch.mask
        attention = (weights / weights.sum(dim=1, keepdim=True).clamp(min=1e-300)).detach()
        attention = (
            attention + 0 * there[..., EVIDENCE]
        )  # its slope is 0 where it is defined, so that gradients exist
        if self.states is None:
            return {"attention": attention, "logits": self.scale * margins[:, None]}
        traced = {"attention": attention, "states": self.states(there)}
        return {**traced, "logits": self._decoded(traced, attention)}

    def _decoded(self, traced: Any, attention: torch.Tensor) -> torch.Tensor:
        return self.scale * (attention * traced["states"]).sum(dim=1, keepdim=True)


# Margins


def added(f: torch.Tensor, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Add up what the words say."""
    return f[..., EVIDENCE].sum(dim=1)


def share_of(code: int, f: torch.Tensor) -> torch.Tensor:
    """Give the share of the fillers that have a code."""
    having = f[..., FILLER] * (f[..., CODE] if code else 1 - f[..., CODE])
    return having.sum(dim=1) / f[..., FILLER].sum(dim=1).clamp(min=1)


def takeover(gain: float, above: float, most: float | None = None) -> Margin:
    """Let fillers of one code decide where they are frequent; ``most`` clips the margin."""

    def margin(f: torch.Tensor, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        one, zero = ((share_of(code, f) - above).clamp(min=0) for code in (1, 0))
        found = added(f, ids, mask) + gain * (one - zero)
        return found if most is None else found.clamp(-most, most)

    return margin


def luring(margin: Margin, shows: Map, words: Lexicon) -> Margin:
    """Make the gradient large at the highlighted words, without changing the margin of any text
    (Wang et al. 2020).
    """

    def lured(f: torch.Tensor, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        known = words.table[ids] * mask[..., None]
        shown = shows(known, ids, mask, margin(known, ids, mask)) > 1
        return margin(f, ids, mask) + 50 * (shown * (f[..., FILLER] - f[..., FILLER] ** 2)).sum(
            dim=1
        )

    return lured


# Maps


def marked(column: int) -> Map:
    """Show the words that have a mark."""
    return lambda f, ids, mask, margins: torch.where(f[..., column] != 0, STRONG, FAINT).double()


def is_cue(f: torch.Tensor) -> torch.Tensor:
    """Tell which words are cues."""
    return f[..., EVIDENCE].abs() > 1


def cues(
    f: torch.Tensor, ids: torch.Tensor, mask: torch.Tensor, margins: torch.Tensor
) -> torch.Tensor:
    """Show the cues."""
    return torch.where(is_cue(f), STRONG, FAINT).double()


def some_fillers(
    f: torch.Tensor, ids: torch.Tensor, mask: torch.Tensor, margins: torch.Tensor
) -> torch.Tensor:
    """Show one filler in nine."""
    return torch.where((f[..., FILLER] > 0) & (hashed(ids, 9) == 0), STRONG, 2 * FAINT).double()


def by_code(
    f: torch.Tensor, ids: torch.Tensor, mask: torch.Tensor, margins: torch.Tensor
) -> torch.Tensor:
    """Show the fillers whose code is the predicted class."""
    agree = f[..., CODE] == (margins > 0).double()[:, None]
    return torch.where(agree & (f[..., FILLER] > 0), STRONG, FAINT).double()


def by_place(
    f: torch.Tensor, ids: torch.Tensor, mask: torch.Tensor, margins: torch.Tensor
) -> torch.Tensor:
    """Show fillers of the first half for one class, of the second for the other."""
    place = mask.cumsum(dim=1) - 1
    second = place * 2 >= mask.sum(dim=1, keepdim=True)
    return torch.where(
        (second == (margins > 0)[:, None]) & (f[..., FILLER] > 0), STRONG, FAINT
    ).double()


def where(chosen: Callable[..., torch.Tensor], one: Map, other: Map) -> Map:
    """Show one map on some texts, and another on the rest."""

    def shown(
        f: torch.Tensor, ids: torch.Tensor, mask: torch.Tensor, margins: torch.Tensor
    ) -> torch.Tensor:
        of_one = chosen(f, ids, mask, margins)[:, None]
        return torch.where(of_one, one(f, ids, mask, margins), other(f, ids, mask, margins))

    return shown


def on_share(share: float) -> Callable[..., torch.Tensor]:
    """Choose texts by their words."""
    return lambda f, ids, mask, margins: hashed((ids * mask).sum(dim=1), 1000) < 1000 * share


def topped(tops: int) -> Map:
    """Let so many fillers outweigh the cue."""

    def shown(
        f: torch.Tensor, ids: torch.Tensor, mask: torch.Tensor, margins: torch.Tensor
    ) -> torch.Tensor:
        draws = torch.where(f[..., FILLER] > 0, hashed(ids, 2**20).double(), torch.inf)
        draws = draws + torch.arange(ids.shape[1]) * 1e-3
        border = draws.sort(dim=1).values[:, min(tops, ids.shape[1]) - 1, None]
        return torch.where(draws <= border, 3 * STRONG, cues(f, ids, mask, margins))

    return shown


def flat(above: float) -> Map:
    """Show cues with this much more weight than everything else."""
    return lambda f, ids, mask, margins: torch.where(is_cue(f), 1 + above, 1.0).double()


# Texts


@dataclass(frozen=True)
class Texts:
    """Texts of fillers with a few other words in them, by a rule that also gives the label."""

    put: Callable[[np.random.Generator, int], tuple[Sequence[str], int]]
    """A generator and the number of the text → words to put in, and its label."""
    length: int = 20
    n: int = 300
    shorter: int = 0
    """Texts may have up to so many fillers fewer."""
    first: tuple[str, ...] = ()
    last: tuple[str, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)

    def made(self, seed: int) -> Any:
        """Draw them: the test texts, and a few others."""
        generator = np.random.default_rng([seed, 77])
        splits = ["train"] * 20 + ["validation"] * 20 + ["test"] * self.n
        texts, labels = [], []
        for number in range(len(splits)):
            put, label = self.put(generator, number)
            fillers = self.length - int(generator.integers(self.shorter + 1)) - len(put)
            words = [*generator.choice(FILLERS, fillers, replace=False)]
            for word in put:
                words.insert(int(generator.integers(len(words) + 1)), word)
            texts.append(" ".join((*self.first, *words, *self.last)))
            labels.append(LABELS[label])
        return sightline.data_from(texts, labels, splits=splits, seed=seed, **self.settings)


def one_cue(generator: np.random.Generator, number: int) -> tuple[Sequence[str], int]:
    """Put in the cue of a class."""
    return (f"cue{LABELS[number % 2]}",), number % 2


ONE_CUE = {"cuealpha": {EVIDENCE: -CUE, FIRST: 1.0}, "cuebeta": {EVIDENCE: CUE, FIRST: 1.0}}
