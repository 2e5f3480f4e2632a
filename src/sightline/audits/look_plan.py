"""The plan of an audit that stops early: the order of its texts, the number of texts at each look,
and the level of intervals.

An audit that stops when its verdict is settled looks at growing numbers of texts. Looks are planned
before the first measurement, because the level of every interval depends on their number
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

from sightline.core.example import Example
from sightline.core.seeds import seed_for
from sightline.stats.intervals import LEVEL
from sightline.verdict.thresholds import default_thresholds

Array = np.ndarray
SPARE = 1.12
"""Size of the first look, as a multiple of a test's minimum sample size in each predicted class: a
test may lack a number for some texts."""
GROWTH = 2
"""The factor by which the number of texts grows from look to look."""
WORTH = 1.5
"""A look is left out if the next one has fewer than this many times its texts."""


@dataclass(frozen=True)
class LookPlan:
    """The order of the planned texts, by their places, and the number of texts at each look."""

    order: tuple[int, ...]
    sizes: tuple[int, ...]

    def level(self, size: int) -> float:
        """Give the confidence level at a look, so that the intervals of all looks hold together.

        By Bonferroni. The last look gets half of the error of a single audit, because most scores
        near their threshold reach it. The other looks share the other half.
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
    """Plan the looks at texts whose predictions are known; with ``once``, plan one look at all of
    them.

    Texts are ordered at random by seed and text. The first look has the first texts of each
    predicted class: as many as a test needs, or all of them. A class that would have none among the
    few texts that a budget may end with comes first with one.
    """
    rank = np.argsort(
        [seed_for(seed, "looks", text.index) for text in texts], kind="stable"
    ).tolist()
    first, left = list[int](), list[int]()
    room = dict.fromkeys(predicted.tolist(), _with_spare(fewest))
    for place in rank:
        kind = int(predicted[place])
        room[kind] -= 1
        (first if room[kind] >= 0 else left).append(place)
    kinds = predicted[first].tolist()
    # Each class put in front pushes one text out of the few.
    safe = kinds[: max(few_of(len(first), fewest) - len(room), 0)]
    missing = [first[kinds.index(kind)] for kind in room if safe and kind not in safe]
    first = [*missing, *(place for place in first if place not in missing)]
    looks = (len(texts),) if once else sizes(len(first), len(texts))
    return LookPlan((*first, *left), looks)


def first_look(texts: Sequence[Example], planned: int) -> int:
    """The number of texts at the first look, if every prediction equals the label."""
    share = planned / max(len(texts), 1)
    counts = Counter(text.label for text in texts).values()
    most = _with_spare(default_thresholds().least)
    first = sum(min(most, round(count * share)) for count in counts)
    return sizes(max(first, 1), planned)[0]


def few_of(first: int, fewest: int) -> int:
    """Give the number of texts from which all of them together may have a verdict, though no class
    may; 0 if the first look has hardly more.

    >>> few_of(114, 50), few_of(60, 50)
    (57, 0)
    """
    few = _with_spare(fewest)
    return few if first >= WORTH * few else 0


def _with_spare(fewest: int) -> int:
    return ceil(SPARE * fewest)


def sizes(first: int, texts: int) -> tuple[int, ...]:
    """The number of texts at each look: each time `GROWTH` times as many, at the last look all.

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
