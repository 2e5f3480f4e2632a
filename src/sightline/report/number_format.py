"""Numbers as text: each with its interval and its n, and rounded so that a reader sees that it
was.
"""

from __future__ import annotations

import math

from sightline.core.results import Estimate

KEEP = "\u00a0"
"""A space at which no line breaks, so that a number stays with its bound and its sign."""


def number(value: float) -> str:
    """Write a number with about three digits; what has no decimals is exact, and what has some is
    rounded.

    So 1 is all of it and 1.000 so near that three decimals do not tell; likewise 0 and 0.000, which
    never has a sign (docs/decisions/0049-words-they-understand.md).

    >>> [number(v) for v in (0.0, 0.0004, -0.0004, 0.9996, 1.0, 0.25, -0.25, 12.345, 1234.5)]
    ['0', '0.000', '0.000', '1.000', '1', '0.250', '−0.250', '12.35', '1,234']
    """
    if not math.isfinite(value):
        return "undefined" if math.isnan(value) else "−∞" if value < 0 else "∞"
    size = abs(value)
    exact = size < 1000 and size == int(size)
    places = 0 if exact else 3 if size < 10 else 2 if size < 100 else 1 if size < 1000 else 0
    return f"{value:z,.{places}f}".replace("-", "−")


def span(low: float, high: float) -> str:
    """Write an interval, or that there is none."""
    if math.isnan(low) or math.isnan(high):
        return "[no interval]"
    return f"[{number(low)},{KEEP}{number(high)}]"


def plainly(estimate: Estimate) -> str:
    """Write an estimate for a sentence: its value, its interval in words, and its texts."""
    if math.isnan(estimate.value):
        return f"undefined ({texts(estimate.n)})" if estimate.n else "not measured"
    known = not (math.isnan(estimate.low) or math.isnan(estimate.high))
    between = (
        f"{number(estimate.low)} to {number(estimate.high)}" if known else "no interval is known"
    )
    return f"{number(estimate.value)} ({between}; {texts(estimate.n)})"


def interval(estimate: Estimate) -> str:
    """Write an estimate as ``value [low, high]``."""
    if math.isnan(estimate.value):
        return "undefined"
    return f"{number(estimate.value)} {span(estimate.low, estimate.high)}"


def with_n(estimate: Estimate) -> str:
    """Write an estimate with its interval and the number of texts it rests on."""
    return f"{interval(estimate)}, n{KEEP}={KEEP}{count(estimate.n)}"


def chosen(value: float) -> str:
    """Write a number that somebody chose, such as a threshold: no trailing zeros, which would claim
    a precision.

    >>> chosen(0.050)
    '0.05'
    """
    return f"{value:g}".replace("-", "−")


def count(n: int) -> str:
    """Write a count, its thousands set apart."""
    return f"{n:,}"


def counted(n: int, what: str) -> str:
    """Count things that have a plural.

    >>> counted(1, "cell"), counted(1200, "cell")
    ('1 cell', '1,200 cells')
    """
    return f"{count(n)} {what if n == 1 else f'{what}s'}"


def texts(n: int) -> str:
    """Count texts."""
    return f"{count(n)}{KEEP}{'text' if n == 1 else 'texts'}"


def about(n: int) -> str:
    """Write a count that is itself an estimate, with two digits, rounded up.

    >>> [about(n) for n in (7, 99, 1234, 1201, 98765)]
    ['7', '99', '1,300', '1,300', '99,000']
    """
    step = 10 ** max(0, len(str(n)) - 2)
    return count(-(-n // step) * step)


def p_value(p: float) -> str:
    """Write a p-value; one that rounds to nothing is written as a bound."""
    least = 0.001
    return f"p{KEEP}<{KEEP}{least}" if p < least / 2 else f"p{KEEP}={KEEP}{number(p)}"
