"""Which word has which rank, how many ranks and clusters there are, and what ties and short texts
do.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline.numerics import rank_selection
from sightline.numerics.rank_selection import (
    ClusterCount,
    by_weight,
    cluster_count,
    mean_weights,
    rank_count,
    texts_of_ranks,
    ties_decide,
    too_little,
)
from sightline.numerics.ties import constant
from sightline.numerics.weighted_tau import weighted_tau

weights = st.lists(st.lists(st.integers(1, 6), min_size=1, max_size=7), min_size=1, max_size=5)


def padded(rows: list[list[float]]) -> tuple[np.ndarray, np.ndarray]:
    """Make distributions of rows of numbers, with padding that must not be seen."""
    width = max(map(len, rows)) + 1
    mask = np.arange(width) < np.array([[len(row)] for row in rows])
    return np.array(
        [[x / sum(row) for x in row] + [9.0] * (width - len(row)) for row in rows]
    ), mask


@given(weights, st.none() | st.integers(0, 9))
def test_places_fall_in_weight_and_ties_keep_the_order_of_the_text(
    rows: list[list[int]], seed: int | None
) -> None:
    attention, mask = padded(rows)
    places = by_weight(
        attention, mask, None if seed is None else np.random.default_rng(seed).random(mask.shape)
    )
    for row, place in zip(rows, places, strict=True):
        first = [int(p) for p in place[: len(row)]]
        assert sorted(first) == list(range(len(row)))
        assert [row[p] for p in first] == sorted(row, reverse=True)
        assert seed is not None or first == sorted(range(len(row)), key=lambda p: (-row[p], p))


def test_ties_are_drawn_evenly_where_that_is_asked_for() -> None:
    attention, mask = np.full((3000, 3), 1 / 3), np.ones((3000, 3), bool)
    first = by_weight(attention, mask, np.random.default_rng(0).random(mask.shape))[:, 0]
    assert np.bincount(first) / 3000 == pytest.approx([1 / 3] * 3, abs=0.03)  # standard error 0.009


def test_ties_decide_where_a_rank_that_counts_has_an_equal() -> None:
    attention, mask = padded([[5, 3, 2, 1], [5, 3, 2, 2], [5, 3, 3, 1], [4, 4, 2, 1], [5], [5, 5]])
    assert ties_decide(attention, mask, 2).tolist() == [False, False, True, True, False, True]
    assert ties_decide(attention, mask, 3).tolist() == [False, True, True, True, False, True]


def test_constant_attention_of_one_length_ranks_nothing() -> None:
    attention, mask = np.full((50, 10), 0.1), np.ones((50, 10), bool)
    mean = mean_weights(attention, mask, texts_of_ranks(mask, 8))
    assert constant(mean, np.ones(8, bool))
    assert weighted_tau(np.arange(8.0), mean) == 0  # an order of ties by place gave −0.6
    assert ties_decide(attention, mask, 8).all()


def test_short_texts_are_left_out_by_rank() -> None:
    attention, mask = padded([[6, 3, 1], [1, 9], [2]])
    by_rank = texts_of_ranks(mask, 3)
    assert by_rank.tolist() == [[True, True, True], [True, True, False], [True, False, False]]
    assert mean_weights(attention, mask, by_rank) == pytest.approx(
        [(0.6 + 0.9 + 1) / 3, (0.3 + 0.1) / 2, 0.1]
    )
    assert np.isnan(mean_weights(attention, mask, np.zeros((3, 4), bool))).all()


def test_uniform_attention_has_as_many_ranks_as_words_and_one_word_has_one() -> None:
    mask = np.ones((20, 10), bool)
    assert rank_count(np.full((20, 10), 0.1), mask) == 10
    one_hot = np.full((20, 10), 1e-9)
    one_hot[:, 4] = 1 - 9e-9
    assert rank_count(one_hot, mask) == 1
    assert rank_count(one_hot, mask, rule="length") == 10
    assert "at least 3 ranks, got 1" in too_little(500, 1)


@pytest.mark.parametrize(
    ("ranks", "texts", "why"), [(3, 200, ""), (2, 200, "ranks"), (3, 199, "texts")]
)
def test_too_few_ranks_or_texts_are_told(ranks: int, texts: int, why: str) -> None:
    assert why in too_little(texts, ranks)
    assert bool(too_little(texts, ranks)) == bool(why)


def test_the_smaller_rule_counts_the_ranks(monkeypatch: pytest.MonkeyPatch) -> None:
    mask = np.arange(12) < np.array([[4]] * 3 + [[8]] * 8 + [[12]] * 9)
    attention = np.where(mask, 1 / mask.sum(1, keepdims=True), 0.0)
    assert rank_count(attention, mask, rule="length") == rank_count(attention, mask) == 4
    with monkeypatch.context() as patch:
        patch.setattr(rank_selection, "LENGTH_PERCENTILE", 20.0)
        assert rank_count(attention, mask) == 8
    assert (
        rank_count(attention, mask, rule="weight") == 12
    )  # each rank is asked of texts that have it
    attention[:7, 2:] = 1e-7  # 7 of 20 texts spend nothing there, and more than 4 are too many
    assert rank_count(attention, mask) == 2
    attention[:3, 2:] = 0.1
    assert (
        rank_count(attention, mask, rule="weight") == 4
    )  # 4 of 20 at rank 3, but 4 of the 17 longer ones at rank 5
    with monkeypatch.context() as patch:
        patch.setattr(rank_selection, "SHARE_OF_TEXTS", 0.7)
        assert rank_count(attention, mask, rule="weight") == 12
    monkeypatch.setattr(rank_selection, "LEAST_WEIGHT", 1e-8)
    assert rank_count(attention, mask, rule="weight") == 12


def test_a_percentile_between_two_lengths_is_rounded_down() -> None:
    """Of 20 texts it lies nine tenths of the way from the second length to the third: at 7.7."""
    mask = np.arange(8) < np.array([[4], [5]] + [[8]] * 18)
    attention = np.where(mask, 1 / mask.sum(1, keepdims=True), 0.0)
    assert rank_count(attention, mask, rule="length") == rank_count(attention, mask) == 7


def test_one_far_point_leaves_a_cluster_of_one_at_any_number() -> None:
    asked: list[int] = []
    assert cluster_count(lambda n: asked.append(n) or 1) == ClusterCount(50, kept=False)
    assert asked == list(range(50, 201, 10))


def test_the_first_number_with_two_points_in_each() -> None:
    def smallest(clusters: int) -> int:
        return 2 if 70 <= clusters <= 120 else 1

    assert cluster_count(smallest) == ClusterCount(70, kept=True)
