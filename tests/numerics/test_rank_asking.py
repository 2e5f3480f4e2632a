"""What ranks are asked: the bins of answers, clusters as published, the family of probes, and
shuffled attention.
"""

import numpy as np
import pytest

from sightline.numerics.mutual_information import plug_in, table
from sightline.numerics.rank_coupling import CLUSTERS, RankedStates, coupling
from sightline.numerics.rank_information_wen2022 import published
from sightline.numerics.rank_probe_scores import Target, clusters_of, table_size
from sightline.numerics.rank_targets import Bins
from tests.reference import information as literal

ALONE = np.arange(400)
"""The clusters of texts that each stand alone."""


def generator(seed: int, rank: int) -> np.random.Generator:
    return np.random.default_rng([seed, rank])


def test_answers_fall_in_five_bins_and_others_in_the_nearest() -> None:
    odds = np.concatenate([centre + np.linspace(-0.1, 0.1, 20) for centre in (-4, -2, 0, 1, 3)])
    bins = Bins(odds[:, None], np.random.default_rng(0))
    assert bins(odds[:, None]).tolist() == [number for number in range(5) for _ in range(20)]
    assert bins(np.array([[-9.0], [-2.9], [0.4], [0.6], [1.9], [2.1], [9.0]])).tolist() == [
        0,
        1,
        2,
        3,
        3,
        4,
        4,
    ]
    two = np.stack([np.zeros(100), odds], axis=1)  # the same answers as two logits
    assert Bins(two, np.random.default_rng(0))(two).tolist() == bins(odds[:, None]).tolist()


def test_answers_among_many_are_their_class() -> None:
    logits = np.random.default_rng(0).standard_normal((30, 4))
    assert Bins(logits, np.random.default_rng(0))(logits).tolist() == logits.argmax(1).tolist()


def test_answers_that_are_all_alike_are_one_bin() -> None:
    assert set(Bins(np.ones((9, 1)), np.random.default_rng(0))(np.ones((4, 1)))) == {0}


def test_the_published_curve_is_counted_from_clusters_rank_by_rank() -> None:
    rng = np.random.default_rng(0)
    states, labels = rng.standard_normal((300, 3, 5)), rng.integers(0, 2, 300)
    states[:, 0] += 4 * labels[:, None]
    kept = np.arange(300)[:, None] < np.array([300, 280, 250])
    found = published(states, kept, {"label": labels}, generator, seeds=2)
    assert found.texts.tolist() == [300, 280, 250]
    assert found.curves["label"].shape == (2, 3)
    assert found.curves["label"][:, 0] == pytest.approx(np.log(2), abs=0.1)
    assert found.floors["label"][2] == pytest.approx((found.count.clusters - 1) / 500)
    assert found.tau("label", np.array([0.6, 0.3, 0.1])).shape == (2,)
    assert found.smallest >= 1
    # One far point makes a cluster of its own, however many there are.
    far = states.copy()
    far[0, 1] = 1e4
    alone = published(far, kept, {"label": labels}, generator, seeds=1)
    assert (alone.count.clusters, alone.count.kept, alone.smallest) == (50, False, 1)


def test_labels_of_a_rank_are_those_of_the_texts_that_have_it() -> None:
    """Texts without the rank lie among the others."""
    rng = np.random.default_rng(0)
    states, labels = rng.standard_normal((300, 3, 5)), rng.integers(0, 2, 300)
    states[:, 2] += 4 * labels[:, None]
    kept = rng.permutation(300)[:, None] < np.array([300, 280, 250])
    found = published(states, kept, {"label": labels}, generator, seeds=2)
    assert found.texts.tolist() == [300, 280, 250]
    assert found.curves["label"][:, 2] == pytest.approx(np.log(2), abs=0.1)
    assert (found.curves["label"][:, :2] < 0.3).all()


def test_a_target_is_asked_by_the_better_family() -> None:
    rng = np.random.default_rng(0)
    labels = rng.choice([3, 7], 400)
    states = rng.standard_normal((400, 3, 6))
    states[:, 1, 0] += np.where(labels == 7, 2.0, -2.0)
    target = Target.of(labels, clusters_of(states, table_size(400), rng), rng, ALONE)
    scores, family = target.scores(states)
    assert family == "logistic"
    assert scores[:, 1].mean() > 0.5 > 0.05 > abs(scores[:, 0].mean())
    assert target.surprise().mean() == pytest.approx(np.log(2), abs=0.01)
    ring = states.copy()  # two labels on one line: no direction tells them, places do
    ring[:, :, :] = 0.01 * rng.standard_normal(ring.shape)
    ring[:, 1, 0] = rng.integers(0, 40, 400)
    parity = (ring[:, 1, 0].astype(int) % 2).astype(np.int64)
    again = Target.of(parity, clusters_of(ring, 40, rng), rng, ALONE)
    assert again.scores(ring)[1] == "table"


def test_coupling_is_counted_first_and_probed_where_it_is_rare() -> None:
    rng = np.random.default_rng(0)
    labels, weights = rng.integers(0, 3, 400), np.array([0.5, 0.3, 0.2])
    nothing = rng.standard_normal((20, 400, 3, 4))
    by_chance = coupling(
        RankedStates(nothing[0], labels, ALONE),
        9,
        lambda number: RankedStates(nothing[number + 1], labels, ALONE),
        weights,
        "logistic",
        0,
    )
    assert by_chance.contrast > 0.1
    assert by_chance.by == f"counted in {CLUSTERS} clusters"
    own = nothing[0].copy()
    own[:, 0] += 5 * np.eye(3, 4)[labels]
    known = coupling(
        RankedStates(own, labels, ALONE),
        9,
        lambda number: RankedStates(nothing[number + 1], labels, ALONE),
        weights,
        "logistic",
        0,
    )
    assert (known.contrast, known.slope, known.by) == (0.1, 0.1, "held-out scores, logistic")


def test_counts_of_ranks_are_those_of_the_literal_walk() -> None:
    rng = np.random.default_rng(0)
    states, labels = rng.standard_normal((120, 2, 3)), rng.integers(0, 4, 120)
    found = published(states, np.ones((120, 2), bool), {"y": labels}, generator, seeds=1)
    assert found.curves["y"].shape == (1, 2)
    named = clusters_of(states, 10, rng)
    assert plug_in(table(named[:, 0], labels)) == pytest.approx(
        literal.plug_in(named[:, 0], labels), abs=1e-12
    )
