"""Numbers as text: each with its interval and its n, and none rounded to more than was found."""

from __future__ import annotations

import math

from sightline.results import Estimate

KEEP = "\u00a0"
"""A space at which no line breaks, so that a number stays with its bound and its sign."""


def number(value: float) -> str:
    """Write a number with about three digits; a whole number is written as one, and only if it is one.

    >>> [number(v) for v in (0.0, 0.0004, -0.0004, 0.9996, 1.0, 0.25, 12.345, 1234.5)]
    ['0', '<0.001', '>−0.001', '>0.999', '1', '0.250', '12.35', '1,234']
    """
    if not math.isfinite(value):
        return "undefined" if math.isnan(value) else _signed(value, "∞")
    size = abs(value)
    if size < 1000 and size == int(size):
        return _signed(value, str(int(size)))
    if size < 0.001:
        return "<0.001" if value > 0 else ">−0.001"
    if 0.9995 <= size < 1:
        return ">0.999" if value > 0 else "<−0.999"
    places = 3 if size < 10 else 2 if size < 100 else 1 if size < 1000 else 0
    return _signed(value, f"{size:,.{places}f}")


def _signed(value: float, text: str) -> str:
    return f"−{text}" if value < 0 else text


def span(low: float, high: float) -> str:
    """Write an interval, or that there is none."""
    if math.isnan(low) or math.isnan(high):
        return "[no interval]"
    return f"[{number(low)},{KEEP}{number(high)}]"


def interval(estimate: Estimate) -> str:
    """Write an estimate as ``value [low, high]``."""
    if math.isnan(estimate.value):
        return "undefined"
    return f"{number(estimate.value)} {span(estimate.low, estimate.high)}"


def with_n(estimate: Estimate) -> str:
    """Write an estimate with its interval and the number of texts it rests on."""
    return f"{interval(estimate)}, n{KEEP}={KEEP}{count(estimate.n)}"


def threshold(delta: float) -> str:
    r"""Write δ: a number somebody chose, so without the idle zeros that would claim a precision.

    >>> threshold(0.05)
    'δ\xa0=\xa00.05'
    """
    return f"δ{KEEP}={KEEP}{delta:g}".replace("-", "−")


def count(n: int) -> str:
    """Write a count, its thousands set apart."""
    return f"{n:,}"


def p_value(p: float) -> str:
    """Write a p-value; one that rounds to nothing, or to one, is written as a bound."""
    text = number(p)
    sign, digits = (text[0], text[1:]) if text[0] in "<>" else ("=", text)
    return f"p{KEEP}{sign}{KEEP}{digits}"
