"""k-means for the states of several ranks at once, with k-means++ seeding and Lloyd's steps, in
torch on any device.

Ranks lie along the first axis and never mix. All randomness comes from one numpy generator, so
device and threads cannot change it. `Clustering(N)` with its defaults, on all dimensions of the
states, is the literal reading of Wen et al. (2022). For repeated use, `steps=25` on a few principal
axes is enough.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

_CELLS_AT_ONCE = 2**23
"""Upper bound on the distances in memory at a time: 64 MB."""


@dataclass(frozen=True)
class Clustering:
    """The number of clusters, the most steps, and the number of starts, of which the best is kept."""

    clusters: int
    steps: int = 300
    starts: int = 1


@dataclass(frozen=True)
class Clusters:
    """The cluster of each point (−1 for no point), the centres, and the sum of squared distances to
    them.
    """

    labels: Int[Tensor, "K N"]
    centres: Float[Tensor, "K C D"]
    inertia: Float[Tensor, " K"]

    def smallest(self) -> int:
        """Give the size of the smallest cluster of any rank; an empty cluster has 0."""
        clusters = self.centres.shape[1]
        return min(
            int(torch.bincount(one[one >= 0], minlength=clusters).min()) for one in self.labels
        )


def kmeans(
    points: Float[Tensor, "K N D"],
    mask: Bool[Tensor, "K N"],
    settings: Clustering,
    generator: np.random.Generator,
) -> Clusters:
    """Cluster the points of each rank separately; each rank keeps its best start."""
    found = [_once(points, mask, settings, generator) for _ in range(settings.starts)]
    inertia = torch.stack([one.inertia for one in found])
    best = inertia.argmin(0)
    ranks = torch.arange(len(points), device=points.device)
    return Clusters(
        torch.stack([one.labels for one in found])[best, ranks],
        torch.stack([one.centres for one in found])[best, ranks],
        inertia[best, ranks],
    )


def _once(
    points: Float[Tensor, "K N D"],
    mask: Bool[Tensor, "K N"],
    settings: Clustering,
    generator: np.random.Generator,
) -> Clusters:
    sizes = points.square().sum(2)
    centres = seeded(points, sizes, mask, settings.clusters, generator)
    labels, distances = nearest(points, sizes, centres)
    for _ in range(settings.steps):
        centres = _means(points, mask, labels, centres)
        before, (labels, distances) = labels, nearest(points, sizes, centres)
        if torch.equal(before[mask], labels[mask]):
            break
    return Clusters(
        labels.masked_fill(~mask, -1), centres, distances.masked_fill(~mask, 0.0).sum(1)
    )


def seeded(
    points: Float[Tensor, "K N D"],
    sizes: Float[Tensor, "K N"],
    mask: Bool[Tensor, "K N"],
    clusters: int,
    generator: np.random.Generator,
) -> Float[Tensor, "K C D"]:
    """Draw the first centre uniformly, and each next one by its squared distance from the earlier
    ones.

    k-means++ (Arthur & Vassilvitskii 2007), with one candidate a draw. If all points are centres
    already, any point is drawn.
    """
    uniform = torch.as_tensor(generator.random((clusters, len(points))), device=points.device)
    ranks = torch.arange(len(points), device=points.device)
    left, chosen, turned = mask.double(), list[Tensor](), points.mT.contiguous()
    for drawn in uniform:
        weights = torch.where(left.sum(1, keepdim=True) > 0, left, mask.double())
        upwards = weights.cumsum(1)
        place = torch.searchsorted(upwards, drawn[:, None] * upwards[:, -1:], right=True)[:, 0]
        chosen.append(points[ranks, place.clamp(max=points.shape[1] - 1)])
        along = torch.bmm(chosen[-1][:, None], turned)[
            :, 0
        ]  # transposed, this takes a third of the time
        apart = (sizes + chosen[-1].square().sum(1)[:, None] - 2 * along).clamp(
            min=0
        ).double() * mask
        left = apart if len(chosen) == 1 else torch.minimum(left, apart)
    return torch.stack(chosen, dim=1)


def nearest(
    points: Float[Tensor, "K N D"], sizes: Float[Tensor, "K N"], centres: Float[Tensor, "K C D"]
) -> tuple[Int[Tensor, "K N"], Float[Tensor, "K N"]]:
    """Give the nearest centre of each point (the first of equals) and the squared distance;
    ``sizes`` are |point|².
    """
    squares = centres.square().sum(2)[:, None]
    block = max(1, _CELLS_AT_ONCE // max(1, squares.numel()))
    found = [
        torch.baddbmm(squares, some, centres.mT, alpha=-2).min(2)
        for some in torch.split(points, block, 1)
    ]
    away = torch.cat([one.values for one in found], 1) + sizes
    return torch.cat([one.indices for one in found], 1), away.clamp(min=0)


def _means(
    points: Float[Tensor, "K N D"],
    mask: Bool[Tensor, "K N"],
    labels: Int[Tensor, "K N"],
    centres: Float[Tensor, "K C D"],
) -> Float[Tensor, "K C D"]:
    """Move each centre to the mean of its points; a centre without points stays."""
    ranks, clusters, axes = centres.shape
    real = mask.nonzero(as_tuple=True)
    places = (labels + clusters * torch.arange(ranks, device=labels.device)[:, None])[real]
    size = torch.bincount(places, minlength=ranks * clusters)[:, None]
    means = _sums(points[real], places, ranks * clusters) / size.clamp(min=1)
    return torch.where(size > 0, means, centres.reshape(-1, axes)).reshape(centres.shape)


def _sums(
    points: Float[Tensor, "N D"], places: Int[Tensor, " N"], count: int
) -> Float[Tensor, "C D"]:
    """Sum the points of each cluster in a fixed order; an accelerator's in-place sum would have
    none.
    """
    if points.device.type == "cpu":
        return points.new_zeros((count, points.shape[1])).index_add_(0, places, points)
    lengths = torch.bincount(places, minlength=count)
    return torch.segment_reduce(points[places.argsort(stable=True)], "sum", lengths=lengths, axis=0)
