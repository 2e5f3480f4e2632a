"""Which values of a text are equal: against a walk through its words; noise and scale change
nothing.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline.measures.trace_arrays import borders
from sightline.numerics.rank_agreement import captured, inclusion, kendall_tau_b
from sightline.numerics.ties import (
    FAINT,
    NOISE,
    NOTHING,
    TIE,
    VISIBLE,
    constant,
    is_flat,
    level_shades,
    level_ties,
    level_ties_and_fade,
)
from tests.reference import ties as literal

# Levels that are far apart, and steps of a third of a tolerance up from them: chains, ties and
# gaps.
level = st.sampled_from([-1.0, -0.25, 0.0, 3e-7, 2e-6, 0.25, 0.5, 1.0])
value = st.tuples(level, st.integers(0, 9)).map(lambda pair: pair[0] + pair[1] * TIE / 3.1)
row = st.lists(value, min_size=1, max_size=8)
far = st.lists(st.integers(-8, 8).map(lambda n: n / 8), min_size=2, max_size=8)
# Steps of a fiftieth of the largest value, so that some are within what is seen apart, and some
# beyond.
shades = st.lists(st.integers(-50, 50).map(lambda n: n / 50 + n * 1e-4), min_size=1, max_size=10)


def padded(values: list[float], width: int = 10) -> tuple[np.ndarray, np.ndarray]:
    """Put a row into a wider one whose padding must never be seen."""
    return np.array([values + [7.0] * (width - len(values))]), np.arange(width)[None] < len(values)


@given(row, st.sampled_from([1.0, 2.0**-8, 1e-13]))
def test_settled_is_the_walk_through_the_words(values: list[float], scale: float) -> None:
    values = [one * scale for one in values]
    found = level_ties(*padded(values))[0]
    assert found[: len(values)].tolist() == literal.settled(values, NOISE, TIE, NOTHING)
    assert (found[len(values) :] == 0).all()


@given(far, st.integers(0, 99), st.sampled_from([1e-9, 1e-12, 1e-16]))
def test_noise_far_below_the_tolerance_changes_no_rank(
    values: list[float], seed: int, size: float
) -> None:
    clean, mask = padded(values)
    noisy = clean + size * np.abs(clean[mask]).max() * np.random.default_rng(seed).uniform(
        -1, 1, clean.shape
    )
    first, second = (
        np.sign(x[:, :, None] - x[:, None, :])
        for x in (level_ties(clean, mask), level_ties(noisy, mask))
    )
    assert np.array_equal(first, second)
    assert (
        constant(clean, mask).tolist() == constant(noisy, mask).tolist() == [len(set(values)) == 1]
    )
    count = np.array([max(1, len(values) // 2)])
    assert np.array_equal(inclusion(clean, mask, count), inclusion(noisy, mask, count))
    other = np.arange(clean.size, dtype=float)[None]
    assert np.array_equal(
        kendall_tau_b(clean, other, mask), kendall_tau_b(noisy, other, mask), equal_nan=True
    )


@given(row, st.integers(-10, 20))
def test_scale_changes_nothing(values: list[float], power: int) -> None:
    scaled, mask = padded([one * 2.0**power for one in values])
    assert np.array_equal(
        level_ties(scaled, mask), level_ties(padded(values)[0], mask) * 2.0**power
    )


def test_equals_never_fall_on_two_sides_of_a_line() -> None:
    """A grid would part some of these pairs, wherever its lines lie; a walk parts none."""
    generator = np.random.default_rng(0)
    pairs = generator.uniform(0.1, 1, (2000, 1)) * (1 + np.array([[0.0, 3e-8]]))
    values = np.concatenate([pairs, np.ones((2000, 1))], axis=1)
    found = level_ties(values, np.ones(values.shape, bool))
    assert (found[:, 0] == found[:, 1]).all()


def test_a_text_of_rounding_alone_is_constant_and_holds_nothing() -> None:
    noise = np.array([[3e-17, 0.0, 1e-16]])
    mask = np.ones(noise.shape, bool)
    assert constant(noise, mask).all()
    assert np.isnan(captured(np.ones(noise.shape) / 3, noise, mask, np.array([1]))).all()


@pytest.mark.parametrize("odd", [np.nan, np.inf])
def test_a_text_with_a_value_that_is_no_number_has_none(odd: float) -> None:
    values, mask = (
        np.array([[0.5, odd, 0.1], [0.5, 0.2, odd]]),
        np.array([[True] * 3, [True, True, False]]),
    )
    assert np.isnan(level_ties(values, mask)[0]).all()
    assert level_ties(values, mask)[1].tolist() == [0.5, 0.2, 0.0]


# ---------------------------------------------------------------- what a reader sees apart

part = st.sampled_from([0.0, 0.5, 0.999]) | st.floats(0, 1)
"""How much wider than a step the groups are."""


@given(st.one_of(shades, row), st.sampled_from([1.0, 2.0**-8, 1e-13]), part)
def test_shades_are_grouped_from_the_largest_down(
    values: list[float], scale: float, part: float
) -> None:
    values = [one * scale for one in values]
    known, mask = padded(values)
    wider = np.array([part])
    wanted = literal.apart(values, VISIBLE, NOISE, TIE, NOTHING, part)
    found = level_shades(known, mask, wider)[0]
    assert found[: len(values)].tolist() == wanted
    assert (found[len(values) :] == 0).all()
    assert is_flat(known, mask).tolist() == [
        len(set(literal.apart(values, VISIBLE, NOISE, TIE, NOTHING, 0.0))) == 1
    ]
    seen = literal.faded(values, FAINT, VISIBLE, NOISE, TIE, NOTHING, part)
    assert level_ties_and_fade(known, mask, wider)[0, : len(values)].tolist() == seen


@given(shades, part)
def test_no_group_is_wider_than_a_shade_and_neighbouring_heads_are_further_apart(
    values: list[float], part: float
) -> None:
    known, mask = padded(values)
    found, own = (
        level_shades(known, mask, np.array([part]))[0, : len(values)],
        level_ties(known, mask)[0, : len(values)],
    )
    step = VISIBLE * np.abs(own).max() * (1 + part)
    assert (found >= own).all()
    assert (found - own <= step * (1 + 2 * TIE)).all()
    assert set(found) <= set(own)
    heads = np.unique(found)
    assert (np.diff(heads) > step).all()
    order = np.argsort(own, kind="stable")
    assert (np.diff(found[order]) >= 0).all()  # no word overtakes another


@given(shades, st.integers(-10, 20), st.permutations(range(10)), part)
def test_neither_scale_nor_the_places_of_words_change_what_is_seen_apart(
    values: list[float], power: int, places: list[int], part: float
) -> None:
    known, mask = padded(values)
    factor, wider = 2.0**power, np.array([part])
    assert np.array_equal(
        level_shades(known * factor, mask, wider), level_shades(known, mask, wider) * factor
    )
    assert is_flat(known * factor, mask).tolist() == is_flat(known, mask).tolist()
    order = np.array(places)
    assert np.array_equal(
        level_shades(known[:, order], mask[:, order], wider),
        level_shades(known, mask, wider)[:, order],
    )


@pytest.mark.parametrize(
    ("part", "groups"), [(0.0, 17), (0.1, 17), (0.3, 15), (0.99, 11), (1.0, 10)]
)
def test_a_slope_of_small_steps_is_not_one_shade(part: float, groups: int) -> None:
    """Chains would join the two ends of a slope; groups of one shade each do not."""
    slope = np.linspace(1.0, 0.0, 101)[None]
    mask = np.ones(slope.shape, bool)
    # A step of .05 reaches five words further down, one that is twice as wide ten.
    assert len(np.unique(level_shades(slope, mask, np.array([part])))) == groups
    assert not is_flat(slope, mask).any()


def test_each_text_has_a_border_of_its_own() -> None:
    values = np.array([[1.0, 0.93, 0.9, 0.5]] * 3)
    mask = np.ones(values.shape, bool)
    found = level_shades(values, mask, np.array([0.0, 0.5, 1.0]))
    assert found.tolist() == [[1.0, 0.93, 0.93, 0.5], [1.0, 1.0, 0.9, 0.5], [1.0, 1.0, 1.0, 0.5]]


@pytest.mark.parametrize("part", [0.0, 0.1, 1.0])
@pytest.mark.parametrize(
    ("above", "seen"), [(0.001, False), (0.01, False), (0.05, False), (0.06, True), (0.12, True)]
)
def test_a_word_that_hardly_stands_out_is_on_top_of_nothing(
    above: float, seen: bool, part: float
) -> None:
    values = np.array([[1.0, 1.0, 1.0 + above, 1.0]])
    mask = np.ones(values.shape, bool)
    assert is_flat(values, mask).tolist() == [not seen]
    assert not constant(values, mask).any()
    on_top = above > VISIBLE * (1 + above) * (1 + part)
    assert (level_ties_and_fade(values, mask, np.array([part])).argmax() == 2) == on_top
    assert not on_top or seen


@pytest.mark.parametrize("odd", [np.nan, np.inf])
def test_a_text_with_a_value_that_is_no_number_shows_nothing(odd: float) -> None:
    values, mask = (
        np.array([[0.5, odd, 0.1], [0.5, 0.2, odd]]),
        np.array([[True] * 3, [True, True, False]]),
    )
    wider = np.array([0.5, 0.5])
    assert np.isnan(level_shades(values, mask, wider)[0]).all()
    assert level_shades(values, mask, wider)[1].tolist() == [0.5, 0.2, 0.0]


MANY = 4000
"""Texts over which a share is counted: four of its standard errors are .032 at most."""


@given(
    st.floats(0, 2),
    st.floats(0.01, 1),
    st.lists(st.floats(0, 1), max_size=6),
    st.integers(0, 10**6),
    st.booleans(),
)
def test_two_values_a_part_of_a_step_from_each_other_part_in_no_larger_share_of_the_texts(
    below: float, near: float, others: list[float], first: int, evenly: bool
) -> None:
    """Down to two steps below the top, wherever other words lie: so no map can put its evidence
    just beyond a border.
    """
    lower = min(2.0, below + near)
    near = lower - below
    values = [1.0, 1 - VISIBLE * below, 1 - VISIBLE * lower, *(1 - one for one in others)]
    wider = np.linspace(0, 1, MANY) if evenly else borders(np.arange(first, first + MANY))
    mask = np.ones((MANY, len(values)), bool)
    found = level_shades(np.tile(values, (MANY, 1)), mask, wider)
    parted = (found[:, 1] != found[:, 2]).mean()
    assert (
        parted <= near + 4 * np.sqrt(max(near * (1 - near), 0) / MANY) + 1 / MANY + 1e-6 / VISIBLE
    )


@pytest.mark.parametrize("near", [0.04, 0.3, 0.8])
def test_the_chance_to_be_parted_is_the_distance(near: float) -> None:
    values = np.tile([1.0, 1 - VISIBLE * 1.1, 1 - VISIBLE * (1.1 + near)], (MANY, 1))
    found = level_shades(values, np.ones(values.shape, bool), borders(np.arange(MANY)))
    assert (found[:, 1] != found[:, 2]).mean() == pytest.approx(
        near, abs=4 * np.sqrt(near * (1 - near) / MANY)
    )


def test_no_border_further_down_parts_what_looks_the_same() -> None:
    """Fillers at 1 and .85 put a border a step below the second of them, unless that is drawn,
    too.
    """
    values = np.tile([1.0, 0.85, 0.801, *[0.799] * 8], (MANY, 1))
    found = level_shades(values, np.ones(values.shape, bool), borders(np.arange(MANY)))
    assert (found[:, 2] != found[:, 3]).mean() == pytest.approx(0.02, abs=0.01)


def test_where_shades_part_is_drawn_evenly_and_from_the_index_alone() -> None:
    found = borders(np.arange(MANY))
    assert (np.diff(np.sort(found)) > 0).all()
    assert 0 <= found.min() < found.max() < 1
    even = (np.arange(MANY) + 0.5) / MANY
    assert np.abs(np.sort(found) - even).max() < 1.95 / np.sqrt(
        MANY
    )  # Kolmogorov's distance, p = .001
    assert np.corrcoef(found[:-1], found[1:])[0, 1] == pytest.approx(0.0, abs=4 / np.sqrt(MANY))
    assert borders(np.array([7, 3])).tolist() == [found[7], found[3]]
    assert borders(np.array(7)).tolist() == found[7]
