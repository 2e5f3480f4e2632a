"""Which values of a text are equal: against a walk through its words; noise and scale change nothing."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline.maths.pieces import top
from sightline.maths.ranks import captured, inclusion, kendall_tau_b
from sightline.maths.ties import FAINT, NOISE, NOTHING, TIE, VISIBLE, apart, constant, faded, flat, settled
from tests.reference import ties as literal

# Levels that are far apart, and steps of a third of a tolerance up from them: chains, ties and gaps.
level = st.sampled_from([-1.0, -0.25, 0.0, 3e-7, 2e-6, 0.25, 0.5, 1.0])
value = st.tuples(level, st.integers(0, 9)).map(lambda pair: pair[0] + pair[1] * TIE / 3.1)
row = st.lists(value, min_size=1, max_size=8)
far = st.lists(st.integers(-8, 8).map(lambda n: n / 8), min_size=2, max_size=8)
# Steps of a fiftieth of the largest value, so that some are within what is seen apart, and some beyond.
shades = st.lists(st.integers(-50, 50).map(lambda n: n / 50 + n * 1e-4), min_size=1, max_size=10)


def padded(values: list[float], width: int = 10) -> tuple[np.ndarray, np.ndarray]:
    """Put a row into a wider one whose padding must never be seen."""
    return np.array([values + [7.0] * (width - len(values))]), np.arange(width)[None] < len(values)


@given(row, st.sampled_from([1.0, 2.0**-8, 1e-13]))
def test_settled_is_the_walk_through_the_words(values: list[float], scale: float) -> None:
    values = [one * scale for one in values]
    found = settled(*padded(values))[0]
    assert found[: len(values)].tolist() == literal.settled(values, NOISE, TIE, NOTHING)
    assert (found[len(values) :] == 0).all()


@given(far, st.integers(0, 99), st.sampled_from([1e-9, 1e-12, 1e-16]))
def test_noise_far_below_the_tolerance_changes_no_rank(values: list[float], seed: int, size: float) -> None:
    clean, mask = padded(values)
    noisy = clean + size * np.abs(clean[mask]).max() * np.random.default_rng(seed).uniform(-1, 1, clean.shape)
    first, second = (np.sign(x[:, :, None] - x[:, None, :]) for x in (settled(clean, mask), settled(noisy, mask)))
    assert np.array_equal(first, second)
    assert constant(clean, mask).tolist() == constant(noisy, mask).tolist() == [len(set(values)) == 1]
    count = np.array([max(1, len(values) // 2)])
    assert np.array_equal(inclusion(clean, mask, count), inclusion(noisy, mask, count))
    assert np.array_equal(top(clean, mask, count), top(noisy, mask, count))
    other = np.arange(clean.size, dtype=float)[None]
    assert np.array_equal(kendall_tau_b(clean, other, mask), kendall_tau_b(noisy, other, mask), equal_nan=True)


@given(row, st.integers(-10, 20))
def test_scale_changes_nothing(values: list[float], power: int) -> None:
    scaled, mask = padded([one * 2.0**power for one in values])
    assert np.array_equal(settled(scaled, mask), settled(padded(values)[0], mask) * 2.0**power)


def test_equals_never_fall_on_two_sides_of_a_line() -> None:
    """A grid would part some of these pairs, wherever its lines lie; a walk parts none."""
    generator = np.random.default_rng(0)
    pairs = generator.uniform(0.1, 1, (2000, 1)) * (1 + np.array([[0.0, 3e-8]]))
    values = np.concatenate([pairs, np.ones((2000, 1))], axis=1)
    found = settled(values, np.ones(values.shape, bool))
    assert (found[:, 0] == found[:, 1]).all()


def test_a_text_of_rounding_alone_is_constant_and_holds_nothing() -> None:
    noise = np.array([[3e-17, 0.0, 1e-16]])
    mask = np.ones(noise.shape, bool)
    assert constant(noise, mask).all()
    assert np.isnan(captured(np.ones(noise.shape) / 3, noise, mask, np.array([1]))).all()


@pytest.mark.parametrize("odd", [np.nan, np.inf])
def test_a_text_with_a_value_that_is_no_number_has_none(odd: float) -> None:
    values, mask = np.array([[0.5, odd, 0.1], [0.5, 0.2, odd]]), np.array([[True] * 3, [True, True, False]])
    assert np.isnan(settled(values, mask)[0]).all()
    assert settled(values, mask)[1].tolist() == [0.5, 0.2, 0.0]


# ---------------------------------------------------------------- what a reader sees apart


@given(st.one_of(shades, row), st.sampled_from([1.0, 2.0**-8, 1e-13]))
def test_shades_are_grouped_from_the_largest_down(values: list[float], scale: float) -> None:
    values = [one * scale for one in values]
    known, mask = padded(values)
    wanted = literal.apart(values, VISIBLE, NOISE, TIE, NOTHING)
    found = apart(known, mask)[0]
    assert found[: len(values)].tolist() == wanted
    assert (found[len(values) :] == 0).all()
    assert flat(known, mask).tolist() == [len(set(wanted)) == 1]
    seen = literal.faded(values, FAINT, VISIBLE, NOISE, TIE, NOTHING)
    assert faded(known, mask)[0, : len(values)].tolist() == seen


@given(shades)
def test_no_group_is_wider_than_a_shade_and_neighbouring_heads_are_further_apart(values: list[float]) -> None:
    known, mask = padded(values)
    found, given_ = apart(known, mask)[0, : len(values)], settled(known, mask)[0, : len(values)]
    step = VISIBLE * np.abs(given_).max() * (1 + 2 * TIE)
    assert ((found >= given_) & (found - given_ <= step)).all()
    assert set(found) <= set(given_)
    assert (np.diff(np.unique(found)) > VISIBLE * np.abs(given_).max()).all()
    order = np.argsort(given_, kind="stable")
    assert (np.diff(found[order]) >= 0).all()  # no word overtakes another


@given(shades, st.integers(-10, 20), st.permutations(range(10)))
def test_neither_scale_nor_the_places_of_words_change_what_is_seen_apart(
    values: list[float], power: int, places: list[int]
) -> None:
    known, mask = padded(values)
    factor = 2.0**power
    assert np.array_equal(apart(known * factor, mask), apart(known, mask) * factor)
    assert flat(known * factor, mask).tolist() == flat(known, mask).tolist()
    order = np.array(places)
    assert np.array_equal(apart(known[:, order], mask[:, order]), apart(known, mask)[:, order])


def test_a_slope_of_small_steps_is_not_one_shade() -> None:
    """Chains would join the two ends of a slope; groups of one shade each do not."""
    slope = np.linspace(1.0, 0.0, 101)[None]
    mask = np.ones(slope.shape, bool)
    assert len(np.unique(apart(slope, mask))) == 17  # a step of .05 reaches five words further down
    assert not flat(slope, mask).any()


@pytest.mark.parametrize(("above", "seen"), [(0.001, False), (0.01, False), (0.05, False), (0.06, True)])
def test_a_word_that_hardly_stands_out_is_on_top_of_nothing(above: float, seen: bool) -> None:
    values = np.array([[1.0, 1.0, 1.0 + above, 1.0]])
    mask = np.ones(values.shape, bool)
    assert flat(values, mask).tolist() == [not seen]
    assert not constant(values, mask).any()
    assert (faded(values, mask).argmax() == 2) == seen


@pytest.mark.parametrize("odd", [np.nan, np.inf])
def test_a_text_with_a_value_that_is_no_number_shows_nothing(odd: float) -> None:
    values, mask = np.array([[0.5, odd, 0.1], [0.5, 0.2, odd]]), np.array([[True] * 3, [True, True, False]])
    assert np.isnan(apart(values, mask)[0]).all()
    assert apart(values, mask)[1].tolist() == [0.5, 0.2, 0.0]
