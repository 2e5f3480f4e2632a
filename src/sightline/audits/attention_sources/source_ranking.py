"""Which attention sources are surely worse than the best one, by the interval of the difference,
clusters drawn whole.

Each criterion leaves the sources that it does not tell from its best one; the next one is asked of
these alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import isnan

import numpy as np
from jaxtyping import Int

from sightline.core.results import Estimate
from sightline.stats.contrasts import holm, score
from sightline.stats.dyads import PairSums, of_pairs
from sightline.stats.paired_differences import Between, between, between_pairs
from sightline.stats.ratios import RatioSums, ratio

Array = np.ndarray
SURE = 0.05
"""The p-value, adjusted for the number of sources that are compared (Holm), up to which two surely
differ."""

MARGIN = 0.05
"""Difference of two scores that does not matter: a twentieth of the way from chance to the best
achievable."""


@dataclass(frozen=True)
class Texts:
    """The texts that choose: their clusters and predicted classes, and the seed of intervals."""

    clusters: Int[Array, " N"]
    predicted: Int[Array, " N"]
    seed: int

    @property
    def classes(self) -> list[int]:
        """The predicted classes that occur."""
        return [int(one) for one in np.unique(self.predicted)]


Difference = Callable[[str, str, int], Between]
"""Compares a source with another, among so many comparisons: the second less the first."""


def not_worse(scores: Mapping[str, float], compare: Difference) -> tuple[str, ...]:
    """Name the sources that are not surely worse, by more than `MARGIN`, than the one with the
    highest score.

    Where no source has a score, none is worse. Without a margin, a difference of .002 that every
    text confirms would end the search before Transfer is asked.
    """
    known = {name: score for name, score in scores.items() if not isnan(score)}
    if not known:
        return tuple(scores)
    best = max(known, key=lambda name: known[name])
    others = [name for name in known if name != best]
    found = {name: compare(name, best, len(others)) for name in others}
    sure = holm({name: one.p for name, one in found.items() if one.p is not None})
    worse = {name for name, p in sure.items() if p <= SURE and found[name].difference.low > MARGIN}
    return tuple(name for name in known if name not in worse)


@dataclass(frozen=True)
class BySums:
    """Scores that are ratios of sums over texts, source by source."""

    sums: Mapping[str, RatioSums]
    texts: Texts

    def score(self, name: str, of: int | None = None) -> Estimate:
        """Estimate the score of a source over all texts, or those of one predicted class."""
        one, clusters = self._of(name, of)
        return ratio(one.top, one.bottom, self.texts.seed, clusters, classes=one.classes)

    def compare(self, name: str, best: str, comparisons: int, of: int | None = None) -> Between:
        """Give what lies between two sources."""
        (one, clusters), (other, _) = self._of(name, of), self._of(best, of)
        return between(one, other, self.texts.seed, clusters, comparisons)

    def _of(self, name: str, of: int | None) -> tuple[RatioSums, Int[Array, " K"]]:
        rows = (
            np.arange(len(self.texts.predicted))
            if of is None
            else np.flatnonzero(self.texts.predicted == of)
        )
        return self.sums[name].at(rows), self.texts.clusters[rows]


def worst_class(found: BySums, names: tuple[str, ...]) -> dict[str, tuple[float, int]]:
    """Give the score of each source in the predicted class where it is lowest, and that class."""
    out = {}
    for name in names:
        scores = {of: found.score(name, of).value for of in found.texts.classes}
        known = {of: score for of, score in scores.items() if not isnan(score)}
        of = min(known, key=lambda one: known[one]) if known else found.texts.classes[0]
        out[name] = known.get(of, np.nan), of
    return out


def removal(lost: Mapping[str, Array], texts: Texts) -> BySums:
    """Read the scores of SL-301: how far each source gets from random words to the most there is to
    lose.
    """
    ends = ("random", "most")
    sums = {
        name: score(one, lost["random"], lost["most"], texts.predicted)
        for name, one in lost.items()
        if name not in ends
    }
    return BySums(sums, texts)


def agreement(agreed: Mapping[str, Array], names: tuple[str, ...], texts: Texts) -> BySums:
    """Read the scores of SL-101 and SL-102 together."""
    return BySums(
        {
            name: score(agreed[name], agreed[f"chance of {name}"], None, texts.predicted)
            for name in names
        },
        texts,
    )


@dataclass(frozen=True)
class ByPairs:
    """Scores of SL-303, source by source: ratios of sums over pairs of texts."""

    sums: Mapping[str, PairSums]
    texts: Texts

    def score(self, name: str) -> Estimate:
        """Estimate what the words of a source carry."""
        return of_pairs(self.sums[name], self.texts.clusters)

    def compare(self, name: str, best: str, comparisons: int) -> Between:
        """Give what lies between two sources."""
        return between_pairs(self.sums[name], self.sums[best], self.texts.clusters)
