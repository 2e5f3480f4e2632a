"""Ratios over pairs of texts: the literal formula, hubs, what is degenerate, and how often the
truth is held.
"""

import math
import tracemalloc
from dataclasses import astuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sightline.stats.dyads import dyads
from sightline.stats.intervals import UNSURE
from tests.reference.intervals import dyad_interval


def ends(estimate) -> tuple[float, float, float]:
    return astuple(estimate)[:3]


@settings(max_examples=30)
@given(st.integers(0, 2**32 - 1), st.sampled_from([0.95, 0.98]))
def test_the_interval_is_that_of_the_literal_formula(seed: int, level: float) -> None:
    random = np.random.default_rng(seed)
    first, second = random.integers(
        0, 9, (2, 30)
    )  # some meet twice, in both orders, some are with themselves
    room = random.lognormal(0, 0.5, 30)
    gain = room * (0.4 + random.normal(0, 0.2, 9)[first] + random.normal(0, 0.2, 30))
    ours = dyads(gain, room, first, second, level=level, bounds=None)
    assert ends(ours) == pytest.approx(
        dyad_interval(gain, room, list(zip(first, second, strict=True)), level), rel=1e-9
    )


def drawn(seed: int, n: int, few: int, spread: float = 0.2):
    """Pairs of texts of two classes, of which the first has few; donors, receivers and the pair
    have effects.
    """
    random = np.random.default_rng(seed)
    first = np.repeat(np.arange(n), 4)
    second = np.where(first < few, random.integers(few, n, 4 * n), random.integers(0, few, 4 * n))
    room = random.lognormal(0, 0.4, 4 * n) * np.where(first < few, n / few, n / (n - few))
    donor, receiver, noise = (
        random.normal(0, spread, n),
        random.normal(0, spread, n),
        random.normal(0, 0.3, 4 * n),
    )
    return room * (0.3 + donor[first] + receiver[second] + noise), room, first, second


@pytest.mark.parametrize(("few", "spread"), [(50, 0.2), (8, 0.2), (50, 0.0)])
def test_the_truth_is_held_nineteen_times_in_twenty(few: int, spread: float) -> None:
    found = [dyads(*drawn(seed, 100, few, spread)) for seed in range(200)]
    held = np.mean([one.low <= 0.3 <= one.high for one in found])
    assert (
        held >= 0.90
    )  # three standard errors of 200 draws below .95; validation/covered.py counts it in full


def test_pairs_that_share_no_text_are_texts() -> None:
    """s² is then Σ e² / B², up to the jackknife's B − b."""
    random = np.random.default_rng(0)
    gain = random.normal(0.3, 0.2, 400)
    found = dyads(gain, np.ones(400), np.arange(400), np.arange(400, 800))
    assert (found.high - found.low) / 2 == pytest.approx(1.9635 * gain.std() / 20, rel=0.01)
    assert (found.n, found.method) == (800, "jackknife over the texts of 400 pairs")


def test_a_rare_class_is_known_by_its_few_texts() -> None:
    rare, even = (dyads(*drawn(0, 400, few)) for few in (8, 200))
    assert rare.high - rare.low > 2 * (even.high - even.low)


def test_rows_may_be_undefined_and_who_is_first_does_not_matter() -> None:
    gain, room, first, second = drawn(0, 50, 25)
    torn = np.arange(200) % 7 == 0
    found = dyads(np.where(torn, np.nan, gain), room, first, second)
    assert found == dyads(gain[~torn], room[~torn], first[~torn], second[~torn])
    assert ends(dyads(gain, room, second, first)) == pytest.approx(
        ends(dyads(gain, room, first, second)), rel=1e-12
    )
    assert dyads(np.full(200, np.nan), room, first, second).n == 0


@pytest.mark.parametrize("off", [0.0, 1e-15])
def test_pairs_that_are_all_alike_do_not_make_a_certainty(off: float) -> None:
    room, first, second = drawn(0, 50, 25)[1:]
    found = dyads(room * (1 - off * (first == 3)), room, first, second)
    assert found.method == "all texts equal: rule of three"
    assert 1 + 2 * math.log(0.05) / 30 < found.low < 1 + 2 * math.log(0.05) / 50


def test_what_cannot_be_told_is_said() -> None:
    gain, room, first, second = drawn(0, 50, 25)
    assert dyads(gain, room - room.mean(), first, second).method == UNSURE
    assert (
        dyads(gain, np.where(first == 0, 5.0, 0.0), first, second).method == UNSURE
    )  # nothing without text 0
    alone = dyads(gain, room, np.zeros(200, dtype=int), second)
    assert (alone.n, alone.method) == (len({0, *second}), "undefined: one text is in every pair")
    assert np.isnan(ends(alone)).all()


def test_pairs_are_not_laid_out_by_all_texts_and_all_texts() -> None:
    pairs = drawn(0, 2000, 1000)
    tracemalloc.start()
    try:
        dyads(*pairs)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 2000 * 2000 * 8 / 4
