"""In which order texts come, after how many of them an audit looks, and at which level.

An audit that stops when its verdict is settled looks at growing numbers of texts. Looks are planned
before the first text is measured: their number is what the level of every interval depends on
(docs/decisions/0108-looks.md).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil

import numpy as np
from jaxtyping import Int

from sightline.audits.stop_limits import is_sequential
from sightline.core.example import Example
from sightline.core.seeds import seed_for
from sightline.stats.intervals import LEVEL
from sightline.verdict.thresholds import committed

Array = np.ndarray
MOST = 800
"""Texts that are planned where nothing else is asked: more seldom settle what these leave open."""
SPARE = 1.12
"""Times the fewest texts of a test that each predicted class has at the first look: of some texts a
test has no number."""
GROWTH = 2
"""From look to look the texts are so many times as many."""
WORTH = 1.5
"""A look that would be followed by fewer than so many times its texts is left out."""


@dataclass(frozen=True)
class LookPlan:
    """The order in which texts come, as places among the planned ones, and the texts of each
    look.
    """

    order: tuple[int, ...]
    sizes: tuple[int, ...]

    def level(self, size: int) -> float:
        """Give the level of an interval at a look, so that those of all looks hold together.

        By Bonferroni: the last look, which most of what is close to its threshold reaches, may err
        half as often as one audit, and the others share the other half.
        """
        before = len(self.sizes) - 1
        if not before:
            return LEVEL
        return 1 - (1 - LEVEL) / 2 / (1 if size == self.sizes[-1] else before)


def planned(
    texts: Sequence[Example],
    predicted: Int[Array, " N"],
    seed: int,
    fewest: int,
    *,
    once: bool = False,
) -> LookPlan:
    """Plan the looks at some texts, of which it is known how the model predicts them; or one look
    at all of them, ``once``.

    Texts come in an order drawn by seed and text. Those of the first look are the first of each
    predicted class, as many as a test needs or as there are.
    """
    rank = np.argsort(
        [seed_for(seed, "looks", text.index) for text in texts], kind="stable"
    ).tolist()
    first, left = list[int](), list[int]()
    room = dict.fromkeys(predicted.tolist(), ceil(SPARE * fewest))
    for place in rank:
        kind = int(predicted[place])
        room[kind] -= 1
        (first if room[kind] >= 0 else left).append(place)
    looks = (len(texts),) if once else sizes(len(first), len(texts))
    return LookPlan((*first, *left), looks)


def most_texts(
    limit: int | None,
    budget: float | None = None,
    max_texts: int | None = None,
    *,
    full: bool = False,
) -> int | None:
    """Say how many texts an audit takes at most; one that looks plans no more than it could need."""
    if not is_sequential(budget, max_texts, full=full):
        return limit
    return min(one for one in (limit, max_texts or MOST) if one is not None)


def first_look(texts: Sequence[Example], planned: int) -> int:
    """Say how many texts the first look would have, if each were predicted as its label says."""
    share = planned / max(len(texts), 1)
    counts = Counter(text.label for text in texts).values()
    most = ceil(SPARE * committed().least)
    first = sum(min(most, round(count * share)) for count in counts)
    return sizes(max(first, 1), planned)[0]


def sizes(first: int, texts: int) -> tuple[int, ...]:
    """Say after how many texts an audit looks: each time at more by `GROWTH`, and at last at all.

    >>> sizes(112, 800), sizes(112, 150), sizes(112, 112)
    ((112, 224, 448, 800), (150,), (112,))
    """
    found = [first]
    while found[-1] * GROWTH < texts:
        found.append(found[-1] * GROWTH)
    if len(found) == 1 or texts >= WORTH * found[-1]:
        found.append(texts)
    kept = [one for one, after in pairwise([*found, texts]) if after >= WORTH * one]
    return (*kept, texts)
