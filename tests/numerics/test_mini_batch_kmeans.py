"""Mini-batch k-means: centres are means of what they were given, and its clusters are about as
tight as scikit-learn's.
"""

import numpy as np
import pytest
import torch
from sklearn.cluster import MiniBatchKMeans

from sightline.numerics.mini_batch_kmeans import MiniBatch, _move, mini_batch_kmeans


def spread(points: np.ndarray, labels: np.ndarray) -> float:
    centres = {label: points[labels == label].mean(0) for label in np.unique(labels)}
    return sum(
        float(((point - centres[label]) ** 2).sum())
        for point, label in zip(points, labels, strict=True)
    )


def test_a_centre_is_the_mean_of_the_points_it_has_had() -> None:
    """Sculley 2010, algorithm 1, a point at a time: all points of a batch are given before a centre
    moves.
    """
    generator = np.random.default_rng(0)
    centres, points = generator.normal(size=(4, 3)), generator.normal(size=(60, 3))
    ours, had = torch.tensor(centres), torch.zeros(4, dtype=torch.float64)
    counts = [0] * 4
    for rows in np.split(np.arange(60), 6):
        _move(ours, had, torch.tensor(points[rows]))
        nearest = [int(((centres - points[row]) ** 2).sum(1).argmin()) for row in rows]
        for row, one in zip(rows, nearest, strict=True):
            counts[one] += 1
            centres[one] = (1 - 1 / counts[one]) * centres[one] + points[row] / counts[one]
    assert had.tolist() == counts
    assert ours.numpy() == pytest.approx(centres, abs=1e-12)


def test_clusters_are_about_as_tight_as_those_of_scikit_learn() -> None:
    """Which draws several candidates for a first centre, and looks at points until nothing is
    gained.
    """
    apart = []
    for seed in range(4):
        generator = np.random.default_rng(seed)
        middles = generator.normal(size=(40, 8)) * 3
        points = middles[generator.integers(40, size=3000)] + generator.normal(size=(3000, 8))
        ours = mini_batch_kmeans(
            torch.tensor(points), MiniBatch(50), np.random.default_rng(0)
        ).numpy()
        theirs = MiniBatchKMeans(50, batch_size=100, n_init=1, random_state=0).fit_predict(points)
        apart.append(spread(points, ours) / spread(points, theirs))
        again = mini_batch_kmeans(
            torch.tensor(points), MiniBatch(50), np.random.default_rng(0)
        ).numpy()
        assert ours.tolist() == again.tolist()
    assert np.mean(apart) <= 1.05


def test_points_that_are_alike_are_one_cluster() -> None:
    points = torch.ones(30, 2)
    assert (
        mini_batch_kmeans(points, MiniBatch(5, batch=7), np.random.default_rng(0)).unique().numel()
        == 1
    )
