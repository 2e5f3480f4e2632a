"""k-means of several ranks at once: against Lloyd's steps point by point, and scikit-learn."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from sklearn.cluster import KMeans

from sightline.numerics import kmeans as clustering
from sightline.numerics.kmeans import Clustering, kmeans
from sightline.numerics.pca import Axes
from tests.reference import information as literal


def drawn(ranks: int, points: int, width: int, seed: int = 0) -> tuple[torch.Tensor, torch.Tensor]:
    found = np.random.default_rng(seed).standard_normal((ranks, points, width))
    return torch.as_tensor(found), torch.ones(ranks, points, dtype=torch.bool)


@given(
    st.integers(1, 3), st.integers(2, 12), st.integers(1, 4), st.integers(0, 4), st.integers(0, 99)
)
def test_each_rank_walks_as_if_it_were_alone(
    ranks: int, points: int, clusters: int, steps: int, seed: int
) -> None:
    x, mask = drawn(ranks, points, 2, seed)
    mask[0, points // 2 + 1 :] = False
    x[~mask] = 1e6  # padding that must not be seen
    start = kmeans(x, mask, Clustering(clusters, steps=0), np.random.default_rng(seed))
    found = kmeans(x, mask, Clustering(clusters, steps=steps), np.random.default_rng(seed))
    for rank in range(ranks):
        labels, centres = literal.lloyd(
            x[rank, mask[rank]].numpy(), start.centres[rank].numpy(), steps
        )
        assert found.labels[rank, mask[rank]].tolist() == labels
        assert found.centres[rank].numpy() == pytest.approx(centres, abs=1e-9)
        apart = x[rank, mask[rank]].numpy() - centres[labels]
        assert float(found.inertia[rank]) == pytest.approx((apart**2).sum(), abs=1e-9)
    assert (found.labels[~mask] == -1).all()


def test_a_cluster_for_each_point_is_found() -> None:
    x, mask = drawn(2, 30, 3)
    found = kmeans(x, mask, Clustering(30), np.random.default_rng(0))
    assert [sorted(rank.tolist()) for rank in found.labels] == [list(range(30))] * 2
    assert found.inertia.max() < 1e-9
    assert found.smallest() == 1


def test_the_smallest_cluster_of_any_rank_may_be_empty() -> None:
    x, mask = drawn(2, 12, 2)
    x[1] = 1.0  # one place: whatever is asked for, one cluster holds it
    found = kmeans(x, mask, Clustering(3), np.random.default_rng(0))
    assert found.smallest() == 0
    assert kmeans(x[:1], mask[:1], Clustering(3), np.random.default_rng(0)).smallest() > 0


def test_seeds_are_drawn_by_their_squared_distance() -> None:
    x = torch.zeros(2000, 3, 1, dtype=torch.float64)
    x[:, 1], x[:, 2] = 1.0, 3.0
    start = kmeans(
        x, torch.ones(2000, 3, dtype=torch.bool), Clustering(2, steps=0), np.random.default_rng(0)
    )
    of_zero = start.centres[start.centres[:, 0, 0] == 0]
    assert len(of_zero) / 2000 == pytest.approx(1 / 3, abs=0.04)
    assert float((of_zero[:, 1, 0] == 3).double().mean()) == pytest.approx(
        9 / 10, abs=0.04
    )  # 9 to 1


def test_groups_that_lie_apart_are_found_and_so_does_scikit_learn() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 5, 300)
    x = torch.as_tensor(
        10 * rng.standard_normal((5, 4))[truth] + 0.1 * rng.standard_normal((300, 4))
    )[None]
    found = kmeans(x, torch.ones(1, 300, dtype=torch.bool), Clustering(5, starts=5), rng)
    theirs = KMeans(5, n_init=5, random_state=0).fit(x[0].numpy())
    assert float(found.inertia[0]) == pytest.approx(theirs.inertia_, rel=1e-9)
    assert len(set(zip(truth.tolist(), found.labels[0].tolist(), strict=True))) == 5


def test_from_the_same_centres_it_ends_where_scikit_learn_does() -> None:
    x, mask = drawn(2, 400, 8)
    start = kmeans(x, mask, Clustering(20, steps=0), np.random.default_rng(0)).centres
    found = kmeans(x, mask, Clustering(20), np.random.default_rng(0))
    for rank in range(2):
        theirs = KMeans(20, init=start[rank].numpy(), n_init=1, tol=0, algorithm="lloyd").fit(
            x[rank].numpy()
        )
        assert float(found.inertia[rank]) == pytest.approx(theirs.inertia_, rel=1e-9)


def test_of_several_starts_each_rank_keeps_its_best() -> None:
    x, mask = drawn(3, 60, 2)
    rng = np.random.default_rng(0)
    each = torch.stack([kmeans(x, mask, Clustering(6), rng).inertia for _ in range(4)])
    best = kmeans(x, mask, Clustering(6, starts=4), np.random.default_rng(0))
    assert best.inertia.tolist() == each.min(0).values.tolist()
    assert len(set(each.argmin(0).tolist())) > 1  # so that ranks differ in which it is


def test_distances_in_blocks_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    x, mask = drawn(2, 100, 3)
    whole = kmeans(x, mask, Clustering(7), np.random.default_rng(0))
    monkeypatch.setattr(clustering, "_CELLS_AT_ONCE", 50)
    assert torch.equal(
        kmeans(x, mask, Clustering(7), np.random.default_rng(0)).labels, whole.labels
    )


def test_principal_axes_keep_distances_and_one_scale() -> None:
    rng = np.random.default_rng(0)
    states = rng.standard_normal((50, 3, 6)) * [4, 3, 2, 1, 0.5, 0.1] + 7
    whole, some = Axes.of(states)(states), Axes.of(states, 2)(states)
    assert whole.reshape(-1, 6).mean(0) == pytest.approx(0, abs=1e-12)
    assert whole.reshape(-1, 6)[:, 0].var() == pytest.approx(1, abs=1e-12)
    ratio = np.linalg.norm(whole[0, 0] - whole[9, 2]) / np.linalg.norm(states[0, 0] - states[9, 2])
    assert np.linalg.norm(whole[4, 1] - whole[7, 0]) == pytest.approx(
        ratio * np.linalg.norm(states[4, 1] - states[7, 0])
    )
    assert some == pytest.approx(whole[..., :2])
    equal = np.ones((4, 2, 3))
    assert (Axes.of(equal)(equal) == 0).all()
