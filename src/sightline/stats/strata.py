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
texts cannot decide half of a result."""


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
    def weight(self) -> Float[Array, " N"]:
        """Weights that give all classes equal shares, and less to classes of few texts; they sum to
        N.

        Direct standardisation to shares that do not depend on the sample (Holt & Smith 1979): ``w =
        N a_c / (n_c Σ a)`` with ``a_c = min(1, G_c / FEW)`` for n_c texts in G_c clusters.
        """
        shares = np.minimum(1.0, self.groups / FEW)
        return np.asarray((len(self.classes) * shares / (self.sizes * shares.sum()))[self.classes])

    def summed(self, values: Float[Array, " N"]) -> Float[Array, " G"]:
        """Sum the weighted values of each cluster."""
        return group_sums(self.weight * values, self.clusters)

    def levelled(self, values: Float[Array, " N"]) -> Float[Array, " N"]:
        """Move each class to the weighted mean of all: ``w (x − x̄_c) √(G_c / (G_c − 1)) + Σ w x /
        N``.

        This keeps the sum of the weighted values, and of their spread only the part within classes,
        as in ``Σ e² / (G_c − 1)``. The class sizes are taken as fixed, so the number of texts drawn
        from each class adds nothing to an interval. A single class stays as it is; a class of one
        text has no spread.
        """
        if len(self.sizes) == 1:
            return values
        means = np.bincount(self.classes, values) / self.sizes
        wider = np.sqrt(self.groups / np.maximum(self.groups - 1, 1))
        spread = self.weight * wider[self.classes] * (values - means[self.classes])
        return np.asarray(spread + self.weight @ values / len(values))

    def freedom(self, residuals: Float[Array, " N"]) -> float:
        """Degrees of freedom of a sum over classes: ``(Σ s_c²)² / Σ (s_c⁴ / (G_c − 1))``
        (Satterthwaite 1946).

        Where one class of few texts makes most of the spread, it decides the degrees of freedom.
        """
        if len(self.sizes) == 1:
            return float(self.groups[0] - 1)
        by_class = (self.classes == np.arange(len(self.sizes))[:, None]) * residuals
        squares = (group_sums(by_class.T, self.clusters) ** 2).sum(axis=0)
        return float(squares.sum() ** 2 / (squares**2 / np.maximum(self.groups - 1, 1)).sum())
