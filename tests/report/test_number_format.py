"""Rounding may lose digits, never the meaning."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline.core.results import Estimate
from sightline.report.number_format import (
    about,
    chosen,
    count,
    interval,
    number,
    p_value,
    plainly,
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


def test_an_estimate_in_a_sentence_has_its_interval_in_words() -> None:
    said = [
        plainly(Estimate(*ends, n, ""))
        for *ends, n in ((1.0, 0.9996, 1.0, 1), (0.9997, 0.999, 1.0004, 1200))
    ]
    assert [one.replace("\xa0", " ") for one in said] == [
        "1 (1.000 to 1; 1 text)",
        "1.000 (0.999 to 1.000; 1,200 texts)",
    ]
    assert (
        plainly(Estimate(0.5, math.nan, math.nan, 3, ""))
        == "0.500 (no interval is known; 3\xa0texts)"
    )
    assert plainly(Estimate(math.nan, math.nan, math.nan, 0, "")) == "not measured"
    assert plainly(Estimate(math.nan, math.nan, math.nan, 3, "")) == "undefined (3\xa0texts)"


@given(st.integers(1, 10**9))
def test_a_count_that_is_an_estimate_has_two_digits_and_is_never_less(n: int) -> None:
    text = about(n)
    assert n <= read(text) < 1.1 * n + 1
    assert len(text.replace(",", "").rstrip("0")) <= 2


def test_a_chosen_number_has_no_idle_zeros() -> None:
    assert chosen(0.05) == "0.05"
    assert chosen(-0.5) == "−0.5"
    assert count(12345) == "12,345"
