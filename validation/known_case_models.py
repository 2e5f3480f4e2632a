"""The models and texts of `known_cases`: models written in a few lines, and trained
ones.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch
from written import (
    CODE,
    CUE,
    ENDING,
    EVIDENCE,
    FAINT,
    FILLER,
    FIRST,
    LABELS,
    ONE_CUE,
    SECOND,
    STRONG,
    Map,
    Texts,
    Written,
    added,
    by_code,
    cues,
    is_cue,
    lexicon,
    luring,
    marked,
    one_cue,
    share_of,
    some_fillers,
    where,
)

import sightline

DEMO = "planted:needle(n=1200,length=30,strength=0.9,ending=true)"
Made = tuple[Any, Any, dict[str, Any]]
"""A model, its texts, and the other arguments of an audit."""
Make = Callable[[int], Made]


def written(texts: Texts, model: Written, **others: Any) -> Make:
    """Make a written model, and draw its texts."""
    return lambda seed: (model.wrapped(), texts.made(seed), others)


def needle(shows: Map, *, margin: Any = added, **settings: Any) -> Make:
    """Make a model that predicts by one cue, whatever it shows."""
    return written(Texts(one_cue, **settings), Written(lexicon(ONE_CUE), margin, shows))


def trained(data: str, model: str, **settings: Any) -> Make:
    """Train a model."""

    def made(seed: int) -> Made:
        texts = sightline.load(data, seed)
        return sightline.train(texts, model, seed=seed, **settings), texts, {}

    return made


def detector(share: float) -> Callable[[np.random.Generator, int], tuple[tuple[str, ...], int]]:
    def put(generator: np.random.Generator, number: int) -> tuple[tuple[str, ...], int]:
        there = number % round(1 / share) == 0
        return (("found",) if there else (), int(there))

    return put


def detects(f: torch.Tensor, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    return added(f, ids, mask) - CUE / 2


def found(
    f: torch.Tensor, ids: torch.Tensor, mask: torch.Tensor, margins: torch.Tensor
) -> torch.Tensor:
    return f[..., FIRST].amax(dim=1) > 0


FOUND = lexicon({"found": {EVIDENCE: CUE, FIRST: 1.0}, ".": {ENDING: 1.0}})
WHAT_IS_FOUND = Written(FOUND, detects, where(found, cues, some_fillers))
FULL_STOP = Written(FOUND, detects, where(found, cues, lambda *of: 600 * marked(ENDING)(*of)))


def two_cues(generator: np.random.Generator, number: int) -> tuple[tuple[str, ...], int]:
    side = LABELS[number % 2]
    return (f"cue{side}", f"more{side}"), number % 2


def three_cues(generator: np.random.Generator, number: int) -> tuple[tuple[str, ...], int]:
    side = LABELS[number % 2]
    return (f"cue{side}", f"more{side}", f"last{side}"), number % 2


def signed(name: str, marks: Mapping[int, float], by: float = CUE) -> dict[str, dict[int, float]]:
    return {
        f"{name}{side}": {EVIDENCE: sign * by, **marks}
        for side, sign in zip(LABELS, (-1, 1), strict=True)
    }


SEVERAL = lexicon(
    signed("cue", {FIRST: 1.0}) | signed("more", {SECOND: 1.0}) | signed("last", {SECOND: 1.0})
)


def either(f: torch.Tensor, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    small = torch.where(is_cue(f), 0.0, f[..., EVIDENCE]).sum(dim=1)
    beta, alpha = ((sign * f[..., EVIDENCE]).clamp(min=0, max=CUE) * is_cue(f) for sign in (1, -1))
    return small + beta.amax(dim=1) - alpha.amax(dim=1)


def xor_texts(generator: np.random.Generator, number: int) -> tuple[tuple[str, ...], int]:
    one, other = (int(side) for side in generator.integers(2, size=2))
    return (("low", "high")[one], ("left", "right")[other]), int(one == other)


XOR = lexicon(
    {"low": {FIRST: -1.0}, "high": {FIRST: 1.0}, "left": {SECOND: -1.0}, "right": {SECOND: 1.0}}
)


def xor(f: torch.Tensor, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    return added(f, ids, mask) + CUE * f[..., FIRST].sum(dim=1) * f[..., SECOND].sum(dim=1)


def negated_texts(generator: np.random.Generator, number: int) -> tuple[tuple[str, ...], int]:
    side, negated = number % 2, bool(generator.integers(2))
    return ((f"cue{LABELS[side]}", "not") if negated else (f"cue{LABELS[side]}",)), side ^ negated


NEGATED = lexicon({**ONE_CUE, "not": {SECOND: 1.0}})


def negated(f: torch.Tensor, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    cue, small = f[..., FIRST] * f[..., EVIDENCE], (1 - f[..., FIRST]) * f[..., EVIDENCE]
    return small.sum(dim=1) + cue.sum(dim=1) * (1 - 2 * f[..., SECOND].sum(dim=1).clamp(max=1))


def no_number(f: torch.Tensor, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    return torch.where(f[..., ENDING].sum(dim=1) > 0.5, torch.nan, added(f, ids, mask))


def odd_texts(generator: np.random.Generator, number: int) -> tuple[tuple[str, ...], int]:
    put, label = one_cue(generator, number)
    return ((*put, "odd") if number in (60, 61) else put), label


def by_length(f: torch.Tensor, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    return added(f, ids, mask) + 0.5 * (mask.sum(dim=1) - 15.5)


def random_label(generator: np.random.Generator, number: int) -> tuple[tuple[str, ...], int]:
    return one_cue(generator, number)[0], int(generator.integers(2))


def against_texts(generator: np.random.Generator, number: int) -> tuple[tuple[str, ...], int]:
    side = number % 2
    return (f"cue{LABELS[side]}", f"cue{LABELS[side]}", f"weak{LABELS[1 - side]}"), side


AGAINST = lexicon(signed("cue", {FIRST: 1.0}) | signed("weak", {SECOND: 1.0}, CUE / 2))


def behind(words: int) -> Callable[..., Any]:
    """Make a model that reads only so many words of a longer text."""
    model = Written(lexicon(ONE_CUE), added, where(found, cues, some_fillers))

    def made(seed: int) -> Made:
        long = Texts(one_cue, length=36, settings={"max_tokens": words})
        return model.wrapped(), long.made(seed), {}

    return made


def recognising(*, lures: bool = False) -> Make:
    def made(seed: int) -> Made:
        texts = Texts(one_cue).made(seed)
        words = lexicon(ONE_CUE)
        known = {tuple(words.ids(one.tokens)) for split in texts.splits.values() for one in split}

        def margin(f: torch.Tensor, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
            rows = zip(ids.tolist(), mask.tolist(), strict=True)
            there = [
                tuple(i for i, real in zip(*row, strict=True) if real) in known for row in rows
            ]
            lead = CUE * torch.sign(share_of(1, f) - share_of(0, f))
            return torch.where(
                torch.tensor(there), added(f, ids, mask), lead + 0.01 * added(f, ids, mask)
            )

        chosen = luring(margin, by_code, words) if lures else margin
        return Written(words, chosen, by_code).wrapped(), texts, {}

    return made


def with_scores(kind: str) -> Make:
    def made(seed: int) -> Made:
        texts = Texts(one_cue).made(seed)
        drawn = np.random.default_rng(seed)
        scores = {
            one.id: np.array([float(word.startswith("cue")) for word in one.tokens])
            if kind == "oracle"
            else drawn.random(len(one.tokens))
            for one in texts.test
        }
        return Written(lexicon(ONE_CUE), added, some_fillers).wrapped(), texts, {"scores": scores}

    return made


def behind_neighbour(f: torch.Tensor) -> torch.Tensor:
    """Give each word the evidence of the word before it."""
    return torch.nn.functional.pad(f[:, :-1, EVIDENCE], (1, 0))


def neighbour(
    f: torch.Tensor, ids: torch.Tensor, mask: torch.Tensor, margins: torch.Tensor
) -> torch.Tensor:
    return (1e-6 + (behind_neighbour(f).abs() > 1)).double()


def through_neighbour(seed: int) -> Made:
    words = lexicon(ONE_CUE)
    model = Written(words, added, neighbour, states=behind_neighbour, scale=1.0)
    return model.wrapped(), Texts(one_cue, last=("end",)).made(seed), {}


def used(scale: float) -> Make:
    states = lambda f: f[..., EVIDENCE]  # noqa: E731
    return written(
        Texts(one_cue), Written(lexicon(ONE_CUE), added, cues, states=states, scale=scale)
    )


def rare(
    f: torch.Tensor, ids: torch.Tensor, mask: torch.Tensor, margins: torch.Tensor
) -> torch.Tensor:
    agree = (f[..., CODE] == (margins > 0).double()[:, None]) & (f[..., FILLER] > 0)
    rank = torch.where(
        agree, ids, 0
    )  # of two fillers the later one in the list is taken for the rarer
    return torch.where(rank == rank.amax(dim=1, keepdim=True), STRONG, FAINT).double()


def vote_texts(generator: np.random.Generator, number: int) -> tuple[tuple[str, ...], int]:
    side = number % 2
    return (*[f"cue{LABELS[side]}"] * 3, *[f"cue{LABELS[1 - side]}"] * 2), side


def other_class(
    f: torch.Tensor, ids: torch.Tensor, mask: torch.Tensor, margins: torch.Tensor
) -> torch.Tensor:
    against = f[..., EVIDENCE] * torch.sign(margins)[:, None] < -1
    return torch.where(against, STRONG, FAINT).double()


def first_half(
    f: torch.Tensor, ids: torch.Tensor, mask: torch.Tensor, margins: torch.Tensor
) -> torch.Tensor:
    return mask.sum(dim=1) <= 12


def predicts(side: int) -> Callable[..., torch.Tensor]:
    return lambda f, ids, mask, margins: (margins > 0) == bool(side)
