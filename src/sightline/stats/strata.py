"""Sums over texts with equal weight for every class, however rare."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float, Int

from sightline.config.interval_settings import INTERVALS
from sightline.numerics.text_clusters import group_sums
from sightline.stats.intervals import number_clusters

Array = np.ndarray
FEW: int = INTERVALS["few"]
"""Texts (or clusters) that give a class full weight. A class with fewer counts less, because so few
texts cannot decide half of a result; several such classes form one stratum of an interval."""


@dataclass(frozen=True)
class Strata:
    """Texts in classes and in clusters, both numbered from 0; a cluster may span classes."""

    classes: Int[Array, " N"]
    clusters: Int[Array, " N"]

    @staticmethod
    def of(
        rows: Int[Array, " N"],
        classes: Int[Array, " M"] | None = None,
        clusters: Int[Array, " M"] | None = None,
    ) -> Strata:
        """Take the texts in ``rows``. Without classes all are in one, and without clusters each is
        its own.
        """
        n = len(rows)
        kinds = (
            np.zeros(n, dtype=np.int64) if classes is None else number_clusters(classes[rows], n)
        )
        return Strata(kinds, number_clusters(None if clusters is None else clusters[rows], n))

    @cached_property
    def sizes(self) -> Int[Array, " C"]:
        """The number of texts of each class."""
        return np.bincount(self.classes)

    @cached_property
    def groups(self) -> Int[Array, " C"]:
        """Count the clusters that have texts of each class."""
        pairs = np.unique(self.clusters * len(self.sizes) + self.classes)
        return np.bincount(pairs % len(self.sizes))

    @cached_property
    def stratum(self) -> Int[Array, " N"]:
        """Number the strata of an interval from 0: each class by itself, but all classes with fewer
        than FEW clusters together.

        How many texts of a small class are drawn decides its share. So the differences between
        small classes belong to the interval, and their texts are one sample.
        """
        small = self.groups < FEW
        numbers = np.where(small, len(self.sizes), np.arange(len(self.sizes)))[self.classes]
        return np.unique(numbers, return_inverse=True)[1]

    @cached_property
    def groups_of_stratum(self) -> Int[Array, " S"]:
        """Count the clusters that have texts of each stratum."""
        strata = int(self.stratum.max()) + 1
        pairs = np.unique(self.clusters * strata + self.stratum)
        return np.bincount(pairs % strata)

    @cached_property
    def weight(self) -> Float[Array, " N"]:
        """Weights that give all classes equal shares, and less to classes of few texts; they sum to
        N.

        Direct standardisation (Holt & Smith 1979): ``w = N a_c / (n_c Σ a)`` with ``a_c = min(1,
        G_c / FEW)`` for n_c texts in G_c clusters. With FEW clusters of every class the shares are
        equal in each sample. The share of a class with fewer depends on how many were drawn; if all
        classes are that small and no text is clustered, all weights are 1.
        """
        shares = np.minimum(1.0, self.groups / FEW)
        return np.asarray((len(self.classes) * shares / (self.sizes * shares.sum()))[self.classes])

    def summed(self, values: Float[Array, " N"]) -> Float[Array, " G"]:
        """Sum the weighted values of each cluster."""
        return group_sums(self.weight * values, self.clusters)

    def levelled(self, values: Float[Array, " N"]) -> Float[Array, " N"]:
        """Move each stratum to the weighted mean of all: ``w (x − x̄_s) √(G_s / (G_s − 1)) + Σ w x /
        N``, with the weighted mean x̄_s of the stratum.

        This keeps the sum of the weighted values, and of their spread only the part within strata,
        as in ``Σ e² / (G_s − 1)``. The sizes of strata are taken as fixed, so the number of texts
        drawn from a class of its own stratum adds nothing to an interval. A single stratum stays as
        it is; a stratum of one text has no spread.
        """
        weighted, groups = self.weight * values, self.groups_of_stratum
        if len(groups) == 1:
            return np.asarray(weighted)
        means = np.bincount(self.stratum, weighted) / np.bincount(self.stratum, self.weight)
        wider = np.sqrt(groups / np.maximum(groups - 1, 1))[self.stratum]
        spread = wider * (weighted - self.weight * means[self.stratum])
        return np.asarray(spread + weighted.sum() / len(values))

    def freedom(self, residuals: Float[Array, " N"]) -> float:
        """Degrees of freedom of a sum over strata: ``(Σ s²)² / Σ (s⁴ / (G_s − 1))`` (Satterthwaite
        1946).

        Where one class of few texts makes most of the spread, it decides the degrees of freedom.
        """
        groups = self.groups_of_stratum
        if len(groups) == 1:
            return float(groups[0] - 1)
        by_stratum = (self.stratum == np.arange(len(groups))[:, None]) * residuals
        squares = (group_sums(by_stratum.T, self.clusters) ** 2).sum(axis=0)
        return float(squares.sum() ** 2 / (squares**2 / np.maximum(groups - 1, 1)).sum())
