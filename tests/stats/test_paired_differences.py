"""Two effects of the same texts: the literal formula, what is degenerate, and how often an error is
made.
"""

import math
from dataclasses import astuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sightline.stats import resamples
from sightline.stats.contrasts import holm
from sightline.stats.dyads import PairSums
from sightline.stats.intervals import UNSURE, effective, student
from sightline.stats.paired_differences import ScoreDifference, between_pairs, score_difference
from sightline.stats.ratios import RatioSums, ratio
from tests.reference.intervals import difference_interval, dyad_difference, holm_by_hand


def two(
    seed: int, n: int = 60, apart: float = 0.0, shared: float = 0.3
) -> tuple[RatioSums, RatioSums]:
    """Effects of one set of texts in two models: most of what a text does, it does in both."""
    random = np.random.default_rng(seed)
    text = random.normal(0, shared, n)
    made = []
    for more in (0.0, apart):
        room = random.lognormal(0, 0.4, n)
        made.append(RatioSums(room * (0.4 + more + text + random.normal(0, 0.1, n)), room))
    return made[0], made[1]


def ends(found: ScoreDifference) -> tuple[float, float, float]:
    return astuple(found.difference)[:3]


@pytest.mark.parametrize("clustered", [False, True])
def test_the_interval_and_its_p_are_those_of_a_plain_loop(clustered, monkeypatch) -> None:
    monkeypatch.setattr(resamples, "RESAMPLES", 200)
    first, second = two(1, 40, 0.1)
    clusters = np.random.default_rng(2).integers(0, 12, 40) if clustered else np.arange(40)
    found = score_difference(first, second, 3, clusters if clustered else None)
    sums = [
        [one.bottom[clusters == c].sum() for c in np.unique(clusters)] for one in (first, second)
    ]
    alone = min(len(np.unique(clusters)), *(effective(np.array(one)) for one in sums))
    weights = resamples.sums(np.eye(len(np.unique(clusters))), 3)
    literal = difference_interval(
        [first.top, second.top],
        [first.bottom, second.bottom],
        clusters.tolist(),
        weights,
        0.95,
        alone,
    )
    assert (*ends(found), found.p) == pytest.approx(literal, rel=1e-9)


def test_each_effect_is_the_ratio_of_the_texts_of_both() -> None:
    first, second = two(0)
    first.top[:5], second.bottom[3:9] = np.nan, np.nan
    found = score_difference(first, second, 0)
    assert found.first == ratio(first.top[9:], first.bottom[9:], 0)
    assert found.second == ratio(second.top[9:], second.bottom[9:], 0)
    assert found.difference.n == 51
    assert found.difference.value == pytest.approx(found.second.value - found.first.value)


def test_what_texts_share_says_nothing_of_the_difference() -> None:
    """The interval is narrower than that of either effect, and turns with the order."""
    first, second = two(0, 200, shared=1.0)
    found, turned = score_difference(first, second, 0), score_difference(second, first, 0)
    assert found.difference.high - found.difference.low < (found.first.high - found.first.low)
    assert turned.difference.value == -found.difference.value
    assert turned.p == pytest.approx(
        found.p, abs=0.05
    )  # the ends of one seed's resamples are not mirrored


@settings(max_examples=8)
@given(st.integers(0, 2**31), st.integers(2, 5))
def test_copies_in_a_cluster_are_one_text(seed: int, copies: int) -> None:
    alone = two(seed, 14, 0.2)
    repeated = [
        RatioSums(np.repeat(one.top, copies), np.repeat(one.bottom, copies)) for one in alone
    ]
    found = score_difference(*repeated, 0, np.repeat(np.arange(14), copies))
    assert ends(found) == pytest.approx(ends(score_difference(*alone, 0)), rel=1e-9)


def test_classes_count_alike_in_each_model_by_its_own_decisions() -> None:
    random = np.random.default_rng(0)
    rare = np.arange(200) < 20
    top = np.where(rare, 0.8, 0.2) + random.normal(0, 0.05, 200)
    even = RatioSums(top, np.ones(200), rare.astype(np.int64))
    found = score_difference(even, RatioSums(top, np.ones(200)), 0)
    assert found.first.value == pytest.approx(0.5, abs=0.02)
    assert found.second.value == pytest.approx(0.26, abs=0.02)
    assert found.difference.high < -0.2


@pytest.mark.parametrize("apart", [0.0, 0.3])
def test_errors_are_as_rare_as_they_say(apart: float, monkeypatch) -> None:
    """Of skewed, heavy texts: the interval holds the truth, and a null is left out one time in
    twenty.
    """
    monkeypatch.setattr(resamples, "RESAMPLES", 200)
    found = [
        score_difference(*two(seed, 40, apart), 0) for seed in range(200 if apart == 0 else 60)
    ]
    held = np.mean([one.difference.low <= apart <= one.difference.high for one in found])
    assert held >= (0.90 if apart == 0 else 0.86)  # three standard errors below .95
    called = np.mean([one.p < 0.05 for one in found])
    assert called <= 0.10 if apart == 0 else called > 0.9


def test_the_p_value_is_where_the_interval_ends_at_nothing() -> None:
    for seed in range(12):
        found = score_difference(*two(seed, 40, 0.05), 0)
        assert (found.p < 0.05) == (not found.difference.low <= 0 <= found.difference.high)


def test_a_p_that_more_resamples_could_make_smaller_is_a_bound() -> None:
    first, second = two(0, 60, 1.0)
    far = score_difference(first, second, 0)
    more = score_difference(first, second, 0, comparisons=100)
    assert far.at_most
    assert more.p < far.p
    near = score_difference(*two(0, 60, 0.02), 0)
    assert (near.at_most, near.p > far.p) == (False, True)
    assert not score_difference(first, first, 0).at_most


def test_equal_audits_are_not_told_apart() -> None:
    first, _ = two(0)
    found = score_difference(first, RatioSums(first.top.copy(), first.bottom.copy()), 0)
    assert (found.difference.value, found.p) == (
        0.0,
        None,
    )  # effects outside of their bounds: no interval is known
    inside = RatioSums(np.clip(first.top, 0, 1), np.ones(60))
    found = score_difference(inside, inside, 0)
    assert found.difference.method == "all texts equal: rule of three"
    assert found.p == 1.0
    assert found.difference.low < 0 < found.difference.high


def test_texts_that_all_differ_alike_are_told_apart_by_how_many_they_are() -> None:
    def of(n: int) -> ScoreDifference:
        return score_difference(
            RatioSums(np.zeros(n), np.ones(n)), RatioSums(np.ones(n), np.ones(n)), 0
        )

    assert of(60).p == pytest.approx(math.exp(-20))
    few = [of(n) for n in range(2, 30)]
    assert all((one.p < 0.05) == (one.difference.low > 0) for one in few)


def test_what_may_be_nothing_below_the_line_is_not_compared() -> None:
    first, second = two(0)
    unsure = RatioSums(second.top, np.linspace(-1, 1.1, 60))
    found = score_difference(first, unsure, 0)
    assert (found.difference.method, found.p) == (UNSURE, None)
    nothing = score_difference(first, RatioSums(np.full(60, np.nan), np.ones(60)), 0)
    assert (nothing.difference.n, nothing.p) == (0, None)


def test_many_comparisons_take_more_resamples() -> None:
    first, second = two(0, 60, 1.0)
    assert score_difference(first, second, 0).p == pytest.approx(2 / 2001, rel=0.01)
    assert score_difference(first, second, 0, comparisons=100).p == pytest.approx(
        2 / 10001, rel=0.01
    )


def pairs(seed: int, apart: float = 0.0, n: int = 50) -> tuple[PairSums, PairSums]:
    """Words moved between texts in two models, which bring other texts together but share what a
    text is like.
    """
    random = np.random.default_rng(seed)
    donor, receiver = random.normal(0, 0.2, (2, n))
    made = []
    for more in (0.0, apart):
        first, second = np.repeat(np.arange(n), 3), random.integers(0, n, 3 * n)
        room = random.lognormal(0, 0.3, 3 * n)
        gain = 0.4 + more + donor[first] + receiver[second] + random.normal(0, 0.1, 3 * n)
        made.append(PairSums(room * gain, room, first, second))
    return made[0], made[1]


@settings(max_examples=10)
@given(st.integers(0, 2**31))
def test_pairs_are_those_of_a_plain_loop(seed: int) -> None:
    first, second = pairs(seed, 0.1, 12)
    clusters = np.arange(12) // 2
    found = between_pairs(first, second, clusters)
    met = [
        [*zip(clusters[one.first], clusters[one.second], strict=True)] for one in (first, second)
    ]
    value, error = dyad_difference([first.top, second.top], [first.bottom, second.bottom], met)
    assert found.difference.value == pytest.approx(value, rel=1e-9)
    sizes = [
        np.array(
            [sum(b for b, p in zip(one.bottom, each, strict=True) if c in p) for c in range(6)]
        )
        for one, each in zip((first, second), met, strict=True)
    ]
    groups = min(effective(one**2) for one in sizes)
    assert (found.difference.high - value) / student(0.95, groups) == pytest.approx(error, rel=1e-9)


def test_pairs_hold_the_truth_and_are_told_apart() -> None:
    null = [between_pairs(*pairs(seed), np.arange(50)) for seed in range(120)]
    assert (
        np.mean([one.p < 0.05 for one in null]) <= 0.11
    )  # three standard errors of 120 draws above .05
    apart = [between_pairs(*pairs(seed, 0.3), np.arange(50)) for seed in range(20)]
    assert np.mean([one.difference.low <= 0.3 <= one.difference.high for one in apart]) >= 0.8
    assert all(one.p < 0.05 for one in apart)
    first, _ = pairs(0)
    same = between_pairs(first, first, np.arange(50))
    assert (same.difference.value, same.p) == (0.0, None)


def test_pairs_keep_those_of_which_both_texts_are_kept() -> None:
    first, _ = pairs(0, n=20)
    kept = first.at(np.array([3, 7, 11]))
    among = [
        (a, b)
        for a, b in zip(first.first, first.second, strict=True)
        if a in (3, 7, 11) and b in (3, 7, 11)
    ]
    assert [(3, 7, 11)[a] for a in kept.first] == [a for a, _ in among]
    assert [(3, 7, 11)[b] for b in kept.second] == [b for _, b in among]


@settings(max_examples=30)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_holm_is_done_by_hand(p: list[float]) -> None:
    adjusted = holm({str(i): one for i, one in enumerate(p)})
    order = sorted(range(len(p)), key=lambda i: p[i])
    by_hand = holm_by_hand(p)
    assert [adjusted[str(i)] for i in order] == pytest.approx([by_hand[i] for i in order])
    assert [*adjusted] == [str(i) for i in range(len(p))]
