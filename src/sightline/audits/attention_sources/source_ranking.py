"""Which attention sources are significantly worse than the best one, by a clustered bootstrap
interval of the difference.

Each criterion keeps the sources that it cannot distinguish from its best one. The next criterion
looks only at these.
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
from sightline.stats.paired_differences import ScoreDifference, between_pairs, score_difference
from sightline.stats.ratios import RatioSums, ratio

Array = np.ndarray
SURE = 0.05
"""The largest p-value, adjusted for the number of compared sources (Holm), at which two sources
differ significantly."""

MARGIN = 0.05
"""The largest difference of two scores that does not matter: a twentieth of the way from chance to
the best achievable."""


@dataclass(frozen=True)
class Texts:
    """The clusters and predicted classes of the texts that choose, and the seed of intervals."""

    clusters: Int[Array, " N"]
    predicted: Int[Array, " N"]
    seed: int

    @property
    def classes(self) -> list[int]:
        """The predicted classes that occur."""
        return [int(one) for one in np.unique(self.predicted)]


Difference = Callable[[str, str, int], ScoreDifference]
"""Compares two sources, given the number of comparisons: the second score minus the first."""


def not_worse(scores: Mapping[str, float], compare: Difference) -> tuple[str, ...]:
    """Name the sources that are not significantly worse, by more than `MARGIN`, than the best one.

    If no source has a score, all are kept. Without a margin, a difference of 0.002 that every text
    confirms would end the search before Transfer.
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
class RatioScores:
    """Scores of each source that are ratios of sums over texts."""

    sums: Mapping[str, RatioSums]
    texts: Texts

    def score(self, name: str, of: int | None = None) -> Estimate:
        """Estimate the score of a source over all texts, or over the texts of one predicted class."""
        one, clusters = self._of(name, of)
        return ratio(one.top, one.bottom, self.texts.seed, clusters, classes=one.classes)

    def compare(
        self, name: str, best: str, comparisons: int, of: int | None = None
    ) -> ScoreDifference:
        """Give what lies between two sources."""
        (one, clusters), (other, _) = self._of(name, of), self._of(best, of)
        return score_difference(one, other, self.texts.seed, clusters, comparisons)

    def _of(self, name: str, of: int | None) -> tuple[RatioSums, Int[Array, " K"]]:
        rows = (
            np.arange(len(self.texts.predicted))
            if of is None
            else np.flatnonzero(self.texts.predicted == of)
        )
        return self.sums[name].at(rows), self.texts.clusters[rows]


def worst_class(found: RatioScores, names: tuple[str, ...]) -> dict[str, tuple[float, int]]:
    """Give for each source its lowest score in any predicted class, and that class."""
    out = {}
    for name in names:
        scores = {of: found.score(name, of).value for of in found.texts.classes}
        known = {of: score for of, score in scores.items() if not isnan(score)}
        of = min(known, key=lambda one: known[one]) if known else found.texts.classes[0]
        out[name] = known.get(of, np.nan), of
    return out


def removal(lost: Mapping[str, Array], texts: Texts) -> RatioScores:
    """Read the Removal scores (SL-301): 0 for random words, 1 for the largest possible drop."""
    ends = ("random", "most")
    sums = {
        name: score(one, lost["random"], lost["most"], texts.predicted)
        for name, one in lost.items()
        if name not in ends
    }
    return RatioScores(sums, texts)


def agreement(agreed: Mapping[str, Array], names: tuple[str, ...], texts: Texts) -> RatioScores:
    """Read the scores of SL-101 and SL-102 together."""
    return RatioScores(
        {
            name: score(agreed[name], agreed[f"chance of {name}"], None, texts.predicted)
            for name in names
        },
        texts,
    )


@dataclass(frozen=True)
class PairScores:
    """Transfer scores (SL-303) of each source: ratios of sums over pairs of texts."""

    sums: Mapping[str, PairSums]
    texts: Texts

    def score(self, name: str) -> Estimate:
        """Estimate how far the words of a source transfer the prediction."""
        return of_pairs(self.sums[name], self.texts.clusters)

    def compare(self, name: str, best: str, comparisons: int) -> ScoreDifference:
        """Give what lies between two sources."""
        return between_pairs(self.sums[name], self.sums[best], self.texts.clusters)
