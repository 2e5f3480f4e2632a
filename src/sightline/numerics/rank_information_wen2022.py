"""Rank information as in Wen et al. (2022, §3.2): mutual information of clusters of each rank with
clusters of the output.

Choices that the paper leaves open are arguments, here or in `rank_selection`. Each rank is
clustered by itself, on all dimensions, over the texts that are long enough.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float, Int

from sightline.config.measure_registry import MEASURES
from sightline.numerics.kmeans import Clustering, kmeans
from sightline.numerics.mutual_information import floor, plug_in, table
from sightline.numerics.rank_selection import ClusterCount, cluster_count
from sightline.numerics.weighted_tau import weighted_tau

Array = np.ndarray
SEEDS: int = MEASURES["information"].settings["seeds"]
"""Seeds of k-means: τ depends on them, so its spread is reported."""


@dataclass(frozen=True)
class Published:
    """The curves for each target by seed of k-means, the number of clusters, and the texts and
    floor of each rank.
    """

    curves: Mapping[str, Float[Array, "R K"]]
    count: ClusterCount
    smallest: int
    texts: Int[Array, " K"]
    floors: Mapping[str, Float[Array, " K"]]

    def tau(self, target: str, weights: Float[Array, " K"]) -> Float[Array, " R"]:
        """Give Shieh's τ of each curve with the mean weights of the ranks."""
        return weighted_tau(self.curves[target], weights)


def published(
    states: Float[Array, "N K D"],
    kept: Bool[Array, "N K"],
    targets: Mapping[str, Int[Array, " N"]],
    generator: Callable[[int, int], np.random.Generator],
    seeds: int = SEEDS,
) -> Published:
    """Count the information of each rank about each target; ``generator`` makes the random
    generator of a seed and a rank.
    """

    def clusters(rank: int, wanted: int, seed: int) -> Int[Array, " N"]:
        points = torch.from_numpy(np.ascontiguousarray(states[kept[:, rank], rank]))[None]
        mask = torch.ones(points.shape[:2], dtype=torch.bool)
        found = kmeans(points, mask, Clustering(min(wanted, len(points[0]))), generator(seed, rank))
        return np.asarray(found.labels[0].numpy())

    ranks = range(states.shape[1])

    def smallest(wanted: int) -> int:
        """Give the size of the smallest cluster, stopping at the first rank that breaks the rule."""
        least = len(states)
        for rank in ranks:
            least = min(least, int(np.bincount(clusters(rank, wanted, 0), minlength=wanted).min()))
            if least < 2:
                break
        return least

    count = cluster_count(smallest)
    labels = [[clusters(rank, count.clusters, seed) for rank in ranks] for seed in range(seeds)]
    curves = {
        name: np.array(
            [[plug_in(table(one[rank], y[kept[:, rank]])) for rank in ranks] for one in labels]
        )
        for name, y in targets.items()
    }
    texts = kept.sum(0)
    floors = {
        name: np.array([floor(count.clusters, len(np.unique(y)), int(n)) for n in texts])
        for name, y in targets.items()
    }
    least = min(
        int(np.bincount(one, minlength=count.clusters).min()) for found in labels for one in found
    )
    return Published(curves, count, least, texts, floors)
