"""Rounding may lose digits, never the meaning."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline.core.interval_level import level_in, percent_of, with_level
from sightline.core.results import Estimate
from sightline.report.number_format import (
    approximate_count,
    count,
    interval,
    level_of,
    number,
    p_value,
    percent,
    plainly,
    trimmed_number,
    with_n,
)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (-0.0, "0"),
        (1.0, "1"),
        (-1.0, "−1"),
        (0.5, "0.500"),
        (-0.25, "−0.250"),
        (0.0004, "0.000"),
        (-0.0004, "0.000"),
        (0.9996, "1.000"),
        (-0.9996, "−1.000"),
        (3.14159, "3.142"),
        (31.4159, "31.42"),
        (314.159, "314.2"),
        (31415.9, "31,416"),
        (math.nan, "undefined"),
        (math.inf, "∞"),
        (-math.inf, "−∞"),
    ],
)
def test_number(value: float, text: str) -> None:
    assert number(value) == text


FINITE = st.floats(-1e15, 1e15) | st.floats(-2, 2) | st.floats(-1e-3, 1e-3)


def read(text: str) -> float:
    """What a reader takes a printed number for."""
    return float(text.replace("−", "-").replace(",", ""))


def places(text: str) -> int:
    return len(text.partition(".")[2])


@given(FINITE)
def test_a_number_without_decimals_is_exact_and_nothing_has_a_sign_that_is_not_seen(
    value: float,
) -> None:
    text = number(value)
    if abs(value) < 1000:
        assert (text.lstrip("−").isdigit()) == (value == int(value))
    assert text.startswith("−") == (read(text) < 0)
    assert not set(text) & set("<>-e")


@given(FINITE)
def test_a_printed_number_is_read_back_within_half_a_unit_of_its_last_place(value: float) -> None:
    text = number(value)
    assert abs(read(text) - value) <= 0.5 * 10.0 ** -places(text) * (1 + 1e-9) + 1e-15 * abs(value)


@given(st.lists(FINITE, min_size=3, max_size=3).map(sorted))
def test_an_interval_holds_its_value_as_it_is_printed(ends: list[float]) -> None:
    low, value, high = (read(number(one)) for one in ends)
    assert low <= value <= high


def test_an_estimate_brings_its_interval_and_its_n() -> None:
    assert (
        with_n(Estimate(0.5, 0.25, 0.9996, 1200, "")) == "0.500 [0.250,\xa01.000], n\xa0=\xa01,200"
    )
    assert interval(Estimate(math.nan, math.nan, math.nan, 0, "")) == "undefined"
    assert interval(Estimate(0.5, math.nan, math.nan, 3, "")) == "0.500 [no interval]"


def test_p_values_near_nothing_are_bounds() -> None:
    assert [p_value(p).replace("\xa0", " ") for p in (0.0002, 0.03, 0.9999)] == [
        "p < 0.001",
        "p = 0.030",
        "p = 1.000",
    ]


def test_a_p_value_is_a_bound_only_where_it_would_read_0() -> None:
    said = [p_value(p).replace("\xa0", " ") for p in (0.0004, 0.0006)]
    assert said == ["p < 0.001", "p = 0.001"]
    said = [p_value(p, at_most=True).replace("\xa0", " ") for p in (0.0004, 0.002)]
    assert said == ["p < 0.001", "p ≤ 0.002"]


def test_an_estimate_in_a_sentence_has_its_interval_in_words() -> None:
    said = [
        plainly(Estimate(*ends, n, ""))
        for *ends, n in ((1.0, 0.9996, 1.0, 1), (0.9997, 0.999, 1.0004, 1200))
    ]
    assert [one.replace("\xa0", " ") for one in said] == [
        "1.00 (95 % CI 1.00–1.00, n = 1)",
        "1.00 (95 % CI 1.00–1.00, n = 1,200)",
    ]
    assert plainly(Estimate(-0.05, -0.1, 0.004, 30, "")).replace("\xa0", " ") == (
        "−0.05 (95 % CI −0.10 to 0.00, n = 30)"
    )
    assert (
        plainly(Estimate(0.5, math.nan, math.nan, 3, ""))
        == "0.50 (95\xa0% CI unknown, n\xa0=\xa03)"
    )
    assert plainly(Estimate(math.nan, math.nan, math.nan, 0, "")) == "not measured"
    assert plainly(Estimate(math.nan, math.nan, math.nan, 3, "")) == "undefined (3\xa0texts)"


@pytest.mark.parametrize(
    ("estimate", "text"),
    [
        (Estimate(0.88, 0.838, 0.912, 300, ""), "88 % (95 % CI 84–91 %, n = 300)"),
        (Estimate(0.9958, 0.985, 1.0, 872, ""), "99.6 % (95 % CI 98.5–100.0 %, n = 872)"),
        (Estimate(0.9958, 0.97, 1.0, 90, ""), "99.6 % (95 % CI 97–100 %, n = 90)"),
        (Estimate(0.5, 0.495, 0.505, 9000, ""), "50.0 % (95 % CI 49.5–50.5 %, n = 9,000)"),
        (Estimate(1.0, 1.0, 1.0, 20, ""), "100 % (95 % CI 100–100 %, n = 20)"),
        (Estimate(0.03, -0.004, 0.07, 90, ""), "3 % (95 % CI 0 to 7 %, n = 90)"),
        (Estimate(-0.05, -0.12, -0.004, 90, ""), "−5 % (95 % CI −12 to 0 %, n = 90)"),
        (Estimate(0.5, math.nan, math.nan, 3, ""), "50 % (95 % CI unknown, n = 3)"),
        (Estimate(math.nan, math.nan, math.nan, 0, ""), "not measured"),
    ],
)
def test_a_percentage_has_the_digits_that_its_interval_supports(
    estimate: Estimate, text: str
) -> None:
    assert percent(estimate).replace("\xa0", " ") == text


@given(st.integers(1, 10**9))
def test_a_count_that_is_an_estimate_has_two_digits_and_is_never_less(n: int) -> None:
    text = approximate_count(n)
    assert n <= read(text) < 1.1 * n + 1
    assert len(text.replace(",", "").rstrip("0")) <= 2


def test_a_chosen_number_has_no_idle_zeros() -> None:
    assert trimmed_number(0.05) == "0.05"
    assert trimmed_number(-0.5) == "−0.5"
    assert count(12345) == "12,345"


@pytest.mark.parametrize("level", [0.5, 0.95, 0.9833333, 0.9999, 0.99995, 0.999995, 0.999999])
def test_a_level_is_read_back_as_it_was_written_and_is_never_all(level: float) -> None:
    method = with_level("bootstrap", level)
    assert level_in(method) == percent_of(level)
    assert float(percent_of(level)) == pytest.approx(100 * level, abs=0.005)
    assert float(percent_of(level)) < 100
    assert level_of([Estimate(0.5, 0.4, 0.6, 300, method)]) == percent_of(level)
