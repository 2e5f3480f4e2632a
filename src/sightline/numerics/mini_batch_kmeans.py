"""Mini-batch k-means (Sculley 2010): centres move by a few points at a time, so not all points are
needed at once.

Each point moves its centre by one over the number of points assigned so far, so a centre is the
mean of its points (algorithm 1 there). Seeding is k-means++ on a few points for each centre. All
randomness comes from one numpy generator.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from sightline.numerics.kmeans import nearest, seeded

SEEDED = 3
"""Points per centre from which the initial centres are drawn."""


@dataclass(frozen=True)
class MiniBatch:
    """The number of clusters, the batch size, and the number of passes over all points."""

    clusters: int
    batch: int = 100
    passes: int = 3


def mini_batch_kmeans(
    points: Float[Tensor, "N D"], settings: MiniBatch, generator: np.random.Generator
) -> Int[Tensor, " N"]:
    """Give the cluster of each point (the first of equally near ones); clusters may stay empty."""
    centres = _first(points, settings.clusters, generator)
    had = torch.zeros(len(centres), dtype=points.dtype, device=points.device)
    for _ in range(settings.passes):
        order = torch.from_numpy(generator.permutation(len(points))).to(points.device)
        for rows in torch.split(order, settings.batch):
            _move(centres, had, points[rows])
    return _nearest(points, centres)


def _first(
    points: Float[Tensor, "N D"], clusters: int, generator: np.random.Generator
) -> Float[Tensor, "C D"]:
    some = generator.permutation(len(points))[: SEEDED * clusters]
    few = points[torch.from_numpy(some).to(points.device)][None]
    there = torch.ones(few.shape[:2], dtype=torch.bool, device=points.device)
    return seeded(few, few.square().sum(2), there, clusters, generator)[0]


def _move(
    centres: Float[Tensor, "C D"], had: Float[Tensor, " C"], points: Float[Tensor, "B D"]
) -> None:
    """Update each centre to the mean of all points assigned so far, including these."""
    labels = _nearest(points, centres)
    member = torch.nn.functional.one_hot(labels, len(centres)).to(
        points
    )  # a matrix product sums in a fixed order
    fresh = member.sum(0)
    had += fresh
    centres += (member.T @ points - fresh[:, None] * centres) / had.clamp(min=1)[:, None]


def _nearest(points: Float[Tensor, "N D"], centres: Float[Tensor, "C D"]) -> Int[Tensor, " N"]:
    return nearest(points[None], points.square().sum(1)[None], centres[None])[0][0]
