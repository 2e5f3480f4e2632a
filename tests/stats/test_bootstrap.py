"""Intervals that hold the truth as often as they say, also where all texts are alike."""

import math

import numpy as np
import pytest
from scipy.stats import binomtest, t

from sightline.numerics.classification_metrics import macro_f1
from sightline.numerics.count_tables import Counts
from sightline.report.number_format import level_of
from sightline.stats import bootstrap, resamples
from tests.reference.intervals import bca_interval


def test_the_interval_is_near_the_textbook_one() -> None:
    values = np.random.default_rng(1).normal(0.3, 0.1, size=400)
    estimate = bootstrap.mean(values, 0)
    half = 1.96 * values.std() / 20
    assert (estimate.low, estimate.high) == pytest.approx(
        (values.mean() - half, values.mean() + half), abs=0.0015
    )
    assert (estimate.value, estimate.n) == (pytest.approx(values.mean()), 400)


def test_undefined_texts_are_left_out_and_n_says_so() -> None:
    estimate = bootstrap.mean(np.array([0.1, np.nan, 0.3, np.nan]), 0)
    assert (estimate.value, estimate.n) == (pytest.approx(0.2), 2)
    nothing = bootstrap.mean(np.full(3, np.nan), 0)
    assert nothing.n == 0
    assert np.isnan([nothing.value, nothing.low, nothing.high]).all()


def test_texts_that_are_all_alike_do_not_make_a_certainty() -> None:
    estimate = bootstrap.mean(np.zeros(300), 0)
    assert (estimate.low, estimate.high) == pytest.approx((-0.01, 0.01), rel=2e-3)
    perfect = bootstrap.mean(np.ones(300), 0, (0.0, 1.0))
    assert (perfect.low, perfect.high) == pytest.approx((0.99, 1.0), rel=2e-5)
    assert "rule of three" in perfect.method
    wider = bootstrap.mean(np.ones(300), 0, (0.0, 1.0), level=0.975)
    assert wider.low < perfect.low
    assert (level_of([perfect]), level_of([wider])) == ("95", "97.5")
    assert "no interval" in bootstrap.mean(np.ones(5), 0, None).method


@pytest.mark.parametrize(("hits", "n"), [(0, 30), (30, 30), (7, 50)])
def test_proportions_have_wilsons_interval(hits: int, n: int) -> None:
    estimate = bootstrap.proportion((np.arange(n) < hits).astype(float))
    expected = binomtest(hits, n).proportion_ci(method="wilson")
    assert (estimate.low, estimate.high) == pytest.approx((expected.low, expected.high))


def test_texts_of_a_cluster_count_for_fewer() -> None:
    hits = np.repeat(np.arange(40) % 4 != 0, 5).astype(float)
    copies, alone = np.repeat(np.arange(40), 5), bootstrap.proportion(hits[::5])
    found = bootstrap.proportion(hits, copies)
    # As wide as that of the 40 texts, but for Student's t of 40 in the place of z.
    assert (found.high - found.low) / (alone.high - alone.low) == pytest.approx(
        2.0227 / 1.95996, rel=0.01
    )
    assert (found.n, found.method) == (200, "Wilson over 40 clusters of texts")
    mixed = bootstrap.proportion(np.random.default_rng(0).permutation(hits), copies)
    plain = bootstrap.proportion(hits)
    assert mixed.high - mixed.low < 1.1 * (plain.high - plain.low)
    assert bootstrap.proportion(np.ones(200), copies).low == pytest.approx(
        40 / (40 + 2.0227**2), rel=1e-4
    )


def test_clusters_of_unequal_sizes_are_fewer_than_their_number() -> None:
    """Five clusters of 40 and 100 texts alone carry the weight of 11.1 equal clusters."""
    sizes = np.array([40] * 5 + [1] * 100)
    members, even = np.repeat(np.arange(105), sizes), 300**2 / (5 * 40**2 + 100)
    usual = float(t.ppf(0.975, even - 1))
    hits = (np.arange(300) % 40 < 30).astype(float)
    found, share = bootstrap.proportion(hits, members), hits.mean()
    moved = [float((hits - share)[members == g].sum()) for g in range(105)]
    n = min(300.0, share * (1 - share) * 300**2 / sum(one**2 for one in moved))
    centre = (share + usual**2 / (2 * n)) / (1 + usual**2 / n)
    half = np.sqrt(share * (1 - share) / n + usual**2 / (4 * n**2)) * usual / (1 + usual**2 / n)
    assert (found.low, found.high) == pytest.approx((centre - half, centre + half))
    assert usual > 2.2  # over 105 clusters it was 1.98
    assert bootstrap.proportion(np.ones(300), members).low == pytest.approx(
        even / (even + usual**2)
    )


def test_clusters_of_a_proportion_hold_the_truth_nineteen_times_in_twenty() -> None:
    held = 0
    for trial in range(400):
        random = np.random.default_rng(trial)
        chance = random.beta(1.4, 0.6, 40)[np.arange(200) // 5]
        found = bootstrap.proportion(
            (random.random(200) < chance).astype(float), np.arange(200) // 5
        )
        held += found.low <= 0.7 <= found.high
    assert 0.92 <= held / 400 <= 0.985  # three standard errors of 400 draws


def tables(n: int) -> np.ndarray:
    generator = np.random.default_rng(0)
    counts = np.zeros((n, 2, 2))
    counts[np.arange(n), generator.integers(0, 2, n), generator.integers(0, 2, n)] = 1
    return counts


def counted(tables: np.ndarray) -> Counts:
    flat = tables.reshape(len(tables), -1)
    row, cell = np.nonzero(flat)
    return Counts(row, cell, flat[row, cell], len(tables), tables.shape[1:])


def test_a_statistic_of_counts_is_that_of_the_resampled_texts() -> None:
    counts = tables(60)
    ours = bootstrap.statistic(counted(counts), macro_f1, 0)
    drawn = [
        macro_f1(counts[np.random.default_rng(s).integers(60, size=60)].sum(0)[None])[0]
        for s in range(2000)
    ]
    assert ours.value == pytest.approx(macro_f1(counts.sum(0)[None])[0])
    assert (ours.low, ours.high) == pytest.approx(
        tuple(np.quantile(drawn, [0.025, 0.975])), abs=0.03
    )


@pytest.mark.parametrize("level", [0.95, 0.99])
def test_the_interval_of_a_statistic_is_bca_or_students_where_that_is_wider(level: float) -> None:
    values = np.random.default_rng(0).lognormal(-2, 1, 30)
    ours = bootstrap.statistic(
        counted(values[:, None]), lambda sums: sums[:, 0] / 30, 0, None, level=level
    )
    drawn = resamples.sums(values[:, None], 0, level)[:, 0] / 30
    # The mean of what is left is taken of 29 texts, and the statistic divides by 30: the
    # jackknife's error is s/√30.
    half = t.ppf((1 + level) / 2, 29) * np.std(values * 30 / 30, ddof=1) / 30**0.5 * 29 / 30
    low, high = bca_interval(values, drawn, level)
    assert ours.low == pytest.approx(min(low, values.mean() - half), rel=1e-5)
    assert ours.high == pytest.approx(max(high, values.mean() + half), rel=1e-5)
    assert high > values.mean() + half > values.mean() - half < low  # each decides one end
    assert level_of([ours]) == f"{100 * level:g}"


def test_resamples_equal_to_the_statistic_count_half_below_it() -> None:
    """Of 3 hits in 30 texts, a fifth of the resamples have 3 hits, too."""
    values = (np.arange(30) < 3).astype(float)
    ours = bootstrap.statistic(counted(values[:, None]), lambda sums: sums[:, 0], 0, None)
    drawn = resamples.sums(values[:, None], 0)[:, 0]
    assert (drawn == 3).mean() > 0.2
    _, high = bca_interval(values * 30, drawn, 0.95)
    assert ours.high == pytest.approx(high)


def test_a_statistic_of_copies_in_clusters_is_that_of_the_texts() -> None:
    alone = bootstrap.statistic(counted(tables(30)), macro_f1, 0, level=0.99)
    copies = bootstrap.statistic(
        counted(np.repeat(tables(30), 4, axis=0)),
        macro_f1,
        0,
        bootstrap.UNIT,
        np.repeat(np.arange(30), 4),
        0.99,
    )
    assert (copies.value, copies.low, copies.high) == pytest.approx(
        (alone.value, alone.low, alone.high)
    )
    assert (copies.n, copies.method) == (
        120,
        "BCa bootstrap over 30 clusters of texts, 99 % interval",
    )


def test_a_statistic_that_no_text_changes_does_not_make_a_certainty() -> None:
    right = np.tile(np.diag([1.0, 0.0]), (60, 1, 1)) + np.diag([0.0, 1.0])
    assert "rule of three" in bootstrap.statistic(counted(right), macro_f1, 0, (0.0, 1.0)).method


def test_a_statistic_that_every_cluster_changes_equally_has_an_interval() -> None:
    """Without any one cluster F1 is the same, but not the same as with all: they mirror each
    other."""
    kinds = [np.array([[9.0, 1.0], [0.0, 0.0]]), np.array([[0.0, 0.0], [1.0, 9.0]])]
    found = bootstrap.statistic(counted(np.array(kinds * 6)), macro_f1, 0, (0.0, 1.0))
    unseen = -math.log(0.05) / 12
    assert "rule of three" in found.method
    assert found.value == pytest.approx(0.9)
    assert (found.low, found.high) == pytest.approx((0.9 - unseen * 0.9, 0.9 + unseen * 0.1))


def test_many_texts_are_resampled_in_chunks() -> None:
    values = np.random.default_rng(0).random(5000)
    half = 1.96 * values.std() / np.sqrt(5000)
    assert bootstrap.mean(values, 0).high == pytest.approx(values.mean() + half, abs=5e-4)


def test_texts_that_are_all_one_witness_have_no_text_left_without_it() -> None:
    counts = counted(np.eye(2)[[0, 1, 0]])
    found = bootstrap.statistic(
        counts, lambda tables: tables[:, 0] / tables.sum(axis=1), 0, clusters=np.zeros(3, int)
    )
    assert (found.value, found.n) == (pytest.approx(2 / 3), 3)


def test_a_share_of_one_cluster_says_nothing_of_others() -> None:
    found = bootstrap.proportion(np.array([1.0, 0.0, 1.0, 1.0]), np.zeros(4, int))
    assert (found.value, found.n) == (0.75, 4)
    assert (found.low, found.high) == (0.0, 1.0)
