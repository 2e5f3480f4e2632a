"""Ratios of sums: the literal formula, clusters, what is degenerate, and how often the interval
holds the truth.
"""

import math
from dataclasses import astuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sightline.stats import resamples
from sightline.stats.intervals import UNSURE, bounds_if_kept
from sightline.stats.ratios import ratio
from tests.reference.intervals import ratio_interval

RANDOM = np.random.default_rng(0)
ROOM = RANDOM.lognormal(0, 0.5, 40)
GAIN = ROOM * RANDOM.normal(0.4, 0.3, 40)
SOURCES = RANDOM.integers(0, 12, 40)


def ends(estimate) -> tuple[float, float, float]:
    return astuple(estimate)[:3]


@pytest.mark.parametrize("level", [0.95, 0.99])
@pytest.mark.parametrize("clusters", [None, SOURCES])
def test_the_interval_is_that_of_the_literal_formula(clusters, level, monkeypatch) -> None:
    monkeypatch.setattr(resamples, "RESAMPLES", 100)
    ours = ratio(GAIN, ROOM, 3, clusters, level, None)
    each = np.arange(40) if clusters is None else clusters
    weights = resamples.sums(np.eye(len(set(each.tolist()))), 3, level)
    assert len(weights) == (100 if level == 0.95 else 500)
    assert ends(ours) == pytest.approx(ratio_interval(GAIN, ROOM, each, weights, level), rel=1e-9)


def test_few_groups_miss_what_one_group_in_ten_does_and_fifty_do_not() -> None:
    """Why a verdict takes 50 groups: the interval over three of them is narrow and wrong."""

    def missed(groups: int) -> float:
        random, times = np.random.default_rng(1), 100
        members, missed = np.arange(400) % groups, 0
        for _ in range(times):
            odd = random.random(groups) < 0.1
            values = np.where(odd, -0.6, 0.4)[members] + random.normal(0, 0.1, 400)
            found = ratio(values, None, 0, members)
            missed += not found.low <= 0.3 <= found.high
        return missed / times

    assert missed(3) > 0.5
    assert missed(50) < 0.05


def test_without_a_bottom_it_is_the_mean() -> None:
    assert ends(ratio(GAIN, None, 0)) == pytest.approx(ends(ratio(GAIN, np.ones(40), 0)), rel=1e-12)
    assert ratio(GAIN, None, 0).value == pytest.approx(GAIN.mean())


def test_the_resamples_come_from_the_seed_alone() -> None:
    first = ratio(GAIN, ROOM, 0)
    assert first == ratio(GAIN, ROOM, 0)
    assert first != ratio(GAIN, ROOM, 1)
    assert ratio(GAIN[3:], ROOM[3:], 0) == ratio(GAIN[3:], ROOM[3:], 0) != first


def test_resamples_in_chunks_are_of_as_many_groups_as_there_are() -> None:
    weights = resamples.sums(np.eye(400), 0)
    assert weights.shape == (2000, 400)
    assert (weights.sum(axis=1) == 400).all()
    assert weights.var() == pytest.approx(1, abs=0.01)


@settings(max_examples=25)
@given(st.integers(2, 6), st.integers(8, 20))
def test_copies_in_a_cluster_are_one_text(copies: int, n: int) -> None:
    alone = ratio(GAIN[:n], ROOM[:n], 0)
    repeated = ratio(
        np.repeat(GAIN[:n], copies), np.repeat(ROOM[:n], copies), 0, np.repeat(np.arange(n), copies)
    )
    assert ends(repeated) == pytest.approx(ends(alone), rel=1e-9)
    assert (repeated.n, repeated.method) == (
        n * copies,
        f"studentised bootstrap over {n} clusters of texts",
    )


@settings(max_examples=25)
@given(st.floats(0.01, 100), st.lists(st.booleans(), min_size=40, max_size=40))
def test_neither_the_unit_nor_undefined_texts_matter(unit: float, undefined: list[bool]) -> None:
    torn, lost = np.array(undefined), np.arange(40) % 2 == 0
    above, below = np.where(torn & lost, np.nan, GAIN), np.where(torn & ~lost, np.nan, ROOM)
    found = ratio(unit * above, unit * below, 0, SOURCES)
    assert found.n == 40 - torn.sum()
    if found.n:
        assert ends(found) == pytest.approx(
            ends(ratio(GAIN[~torn], ROOM[~torn], 0, SOURCES[~torn])), nan_ok=True
        )


@pytest.mark.parametrize("off", [0.0, 1e-15, -1e-12])
@pytest.mark.parametrize("value", [0.0, 0.1, 1.0])
def test_texts_that_differ_by_rounding_are_all_alike(value: float, off: float) -> None:
    alike = np.full(300, value)
    alike[7] += off
    for found in (
        ratio(alike, None, 0, bounds=(0.0, 1.0)),
        ratio(alike * 0.3, np.full(300, 0.3), 0, bounds=(0.0, 1.0)),
    ):
        unseen = -math.log(0.05) / 300
        assert found.method == "all texts equal: rule of three"
        assert (found.low, found.high) == pytest.approx(
            (value * (1 - unseen), value + unseen * (1 - value))
        )


def test_rounding_of_a_text_without_room_is_no_broken_bound() -> None:
    room = np.where(np.arange(300) == 7, 0.0, 1.0)
    top = np.where(np.arange(300) == 7, -9e-16, 1.0)
    found = ratio(top, room, 0, bounds=(0.0, 1.0))
    assert found.method == "all texts equal: rule of three"
    assert bounds_if_kept(np.where(top < 1, -1e-3, top), room, (0.0, 1.0)) == (-math.inf, 1.0)


def test_what_is_alike_counts_by_what_it_weighs() -> None:
    room = np.where(np.arange(300) < 4, 1.0, 0.0)
    found = ratio(0.5 * room, room, 0)
    assert (found.low, found.high) == pytest.approx(
        (0.5 + 1.5 * math.log(0.05) / 4, 0.5 - 0.5 * math.log(0.05) / 4)
    )
    clusters = np.arange(300) // 10
    assert ratio(np.ones(300), None, 0, clusters).low == pytest.approx(1 + 2 * math.log(0.05) / 30)


@pytest.mark.parametrize("bounds", [None, (-1.0, 0.5)])
def test_without_bounds_that_hold_nothing_is_known_of_what_is_alike(bounds) -> None:
    found = ratio(np.full(9, 0.7), None, 0, bounds=bounds)
    assert (found.value, found.method) == (
        pytest.approx(0.7),
        "all texts equal; no interval is known",
    )
    assert np.isnan([found.low, found.high]).all()


def test_the_interval_keeps_bounds_that_every_text_keeps() -> None:
    values = np.where(np.arange(30) == 0, 0.0, 1.0)
    assert ratio(values, None, 0, bounds=(0.0, 1.0)).high == 1.0
    assert ratio(values, None, 0, bounds=None).high > 1.0
    assert ratio(1.1 * values, None, 0, bounds=(0.0, 1.0)).high > 1.1  # a signed map may pass 1
    below = np.where(np.arange(30) == 0, -99.0, 1.0)
    assert ratio(below, None, 0).high == 1.0, "one bound is kept where the other is not"
    assert ratio(below, None, 0).low < -1.0


@pytest.mark.parametrize(
    "room", [np.linspace(-1, 1.1, 200), RANDOM.normal(-1, 0.1, 200), np.zeros(200)]
)
def test_nothing_is_divided_by_what_may_not_be_above_zero(room) -> None:
    found = ratio(np.ones(200), room, 0)
    assert (found.n, found.method) == (200, UNSURE)
    assert np.isnan(ends(found)).all()


def test_a_bottom_that_no_text_has_below_zero_is_sure_however_few_have_any() -> None:
    room = np.where(np.arange(50) < 2, 1.0, 0.0)
    assert ratio(room * [0.2, 0.8, *[0] * 48], room, 0).value == 0.5


def test_two_clusters_have_students_interval_of_two() -> None:
    found = ratio(np.array([0.4, 0.4, 0.6, 0.6]), None, 0, np.array([5, 5, 9, 9]), bounds=None)
    assert (found.low, found.high) == pytest.approx(
        (0.5 - 12.7062 * 0.1, 0.5 + 12.7062 * 0.1), rel=1e-5
    )
    assert found.method == "studentised bootstrap over 2 clusters of texts"


def test_no_text_and_one_text() -> None:
    nothing = ratio(np.full(3, np.nan), None, 0)
    assert (nothing.n, nothing.method) == (0, "undefined for every text")
    one = ratio(np.array([0.2]), None, 0)
    assert ends(one) == pytest.approx((0.2, -1.0, 1.0))


def test_few_texts_with_an_effect_do_not_make_an_absurd_interval() -> None:
    """A resample without the two texts that differ has no spread but noise; it must not set the
    scale.
    """
    noise = np.random.default_rng(0).normal(0, 1e-6, 50)
    found = ratio(noise + np.where(np.arange(50) < 2, 0.5, 0.0), None, 0, bounds=None)
    assert found.high - found.low < 0.5


def test_another_level_takes_more_resamples_and_says_so() -> None:
    wide, usual = ratio(GAIN, ROOM, 0, level=0.9875), ratio(GAIN, ROOM, 0)
    assert wide.low < usual.low < usual.high < wide.high
    assert wide.method == "studentised bootstrap over texts, 98.75 % interval"
    assert resamples.how_many(0.9875) == 4 * resamples.how_many(0.95) == 8000


@pytest.mark.parametrize("clustered", [False, True])
def test_skewed_texts_and_sources_of_five_are_held_nineteen_times_in_twenty(
    clustered: bool, monkeypatch
) -> None:
    """What validation/covered.py counts in full; 200 draws have a standard error of .015."""
    monkeypatch.setattr(resamples, "RESAMPLES", 400)
    held = 0
    for trial in range(200):
        random = np.random.default_rng(trial)
        shared = (
            random.normal(0, 0.2, 40)[np.arange(200) // 5]
            if clustered
            else random.lognormal(-0.5, 1, 200) - 1
        )
        found = ratio(
            0.3 + shared + random.normal(0, 0.1, 200),
            None,
            trial,
            np.arange(200) // (5 if clustered else 1),
            bounds=None,
        )
        held += found.low <= 0.3 <= found.high
    assert held / 200 >= 0.90
