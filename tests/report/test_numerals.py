"""Rounding may lose digits, never the meaning."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline.report.numerals import count, interval, number, p_value, threshold, with_n
from sightline.results import Estimate


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (-0.0, "0"),
        (1.0, "1"),
        (-1.0, "−1"),
        (0.5, "0.500"),
        (-0.25, "−0.250"),
        (0.0004, "<0.001"),
        (-0.0004, ">−0.001"),
        (0.9996, ">0.999"),
        (-0.9996, "<−0.999"),
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


@given(st.floats(-1, 1))
def test_only_zero_reads_as_zero_and_only_one_as_one(value: float) -> None:
    digits = number(value).lstrip("−")
    assert (digits in {"0", "0.000", "0.00"}) == (value == 0)
    assert (digits in {"1", "1.000", "1.00"}) == (abs(value) == 1)


def test_an_estimate_brings_its_interval_and_its_n() -> None:
    assert with_n(Estimate(0.5, 0.25, 0.9996, 1200, "")) == "0.500 [0.250,\xa0>0.999], n\xa0=\xa01,200"
    assert interval(Estimate(math.nan, math.nan, math.nan, 0, "")) == "undefined"
    assert interval(Estimate(0.5, math.nan, math.nan, 3, "")) == "0.500 [no interval]"


def test_p_values_near_nothing_are_bounds() -> None:
    assert [p_value(p).replace("\xa0", " ") for p in (0.0002, 0.03, 0.9999)] == ["p < 0.001", "p = 0.030", "p > 0.999"]


def test_a_chosen_number_has_no_idle_zeros() -> None:
    assert threshold(0.05).replace("\xa0", " ") == "δ = 0.05"
    assert count(12345) == "12,345"
