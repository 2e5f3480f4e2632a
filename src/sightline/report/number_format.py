"""Write numbers: with interval and n, and with as many digits as they support."""

from __future__ import annotations

import math
from collections.abc import Iterable

from sightline.config.interval_settings import INTERVALS
from sightline.core.interval_level import level_in, percent_of
from sightline.core.results import Estimate

KEEP = "\u00a0"
"""A space that breaks no line, so that a number stays with its bound and its sign."""
CHANCE_TO_BEST = f"0{KEEP}={KEEP}chance, 1{KEEP}={KEEP}best"
"""How to read a score, where nothing else explains it."""
_USUAL = percent_of(INTERVALS["level"])
"""The level of an interval in per cent where its method names none."""


def number(value: float) -> str:
    """Write a number with about three digits; without decimals it is exact, with decimals rounded.

    So 1 means exactly 1, and 1.000 means nearly 1; likewise 0 and 0.000, which never has a sign
    (docs/decisions/0049-words-they-understand.md).

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
    """Write a score for a sentence, with interval and n; it has two decimals, like thresholds.

    >>> plainly(Estimate(0.9951, 0.992, 0.9996, 300, "")).replace(KEEP, " ")
    '1.00 (95 % CI 0.99–1.00, n = 300)'
    """
    if math.isnan(estimate.value):
        return f"undefined ({texts(estimate.n)})" if estimate.n else "not measured"
    return f"{score(estimate.value)} ({ci_and_n(estimate)})"


def bracketed(estimate: Estimate) -> str:
    """Write a score to stand in brackets, with interval and n.

    >>> bracketed(Estimate(0.5, 0.4, 0.6, 300, "")).replace(KEEP, " ")
    '0.50, 95 % CI 0.40–0.60, n = 300'
    """
    return f"{score(estimate.value)}, {ci_and_n(estimate)}"


def ci_and_n(estimate: Estimate) -> str:
    """Write the interval of a score and n, to stand in brackets."""
    level = level_of([estimate])
    return f"{level}{KEEP}% CI {score_span(estimate)}, n{KEEP}={KEEP}{count(estimate.n)}"


def level_of(estimates: Iterable[Estimate | None]) -> str:
    """Give the level of intervals in per cent, or several levels if they differ.

    An audit with several looks or labels has wider intervals than 95 %.

    >>> level_of([Estimate(0.5, 0.4, 0.6, 300, "bootstrap, 98.33 % interval")]), level_of([])
    ('98.33', '95')
    """
    known = [one for one in estimates if one is not None and not math.isnan(one.low)]
    levels = {level_in(one.method) or _USUAL for one in known} or {_USUAL}
    return " or ".join(sorted(levels, key=float))


def score(value: float) -> str:
    """Write a score with two decimals.

    >>> [score(v) for v in (1.0, 0.2449, -0.004, -0.25)]
    ['1.00', '0.24', '0.00', '−0.25']
    """
    if not math.isfinite(value):
        return number(value)
    return f"{value:z,.2f}".replace("-", "−")


def score_span(estimate: Estimate) -> str:
    """Write the interval of a score; "to" replaces the dash next to a minus sign.

    >>> [score_span(Estimate(0, low, 0.3, 9, "")).replace(KEEP, " ") for low in (0.1, -0.1)]
    ['0.10–0.30', '−0.10 to 0.30']
    """
    if math.isnan(estimate.low) or math.isnan(estimate.high):
        return "unknown"
    low, high = score(estimate.low), score(estimate.high)
    return f"{low}–{high}" if estimate.low >= 0 else f"{low}{KEEP}to{KEEP}{high}"


def percent(estimate: Estimate, also: str = "") -> str:
    """Write a share in per cent, with interval and n.

    >>> percent(Estimate(0.88, 0.838, 0.912, 300, "")).replace(KEEP, " ")
    '88 % (95 % CI 84–91 %, n = 300)'
    """
    if math.isnan(estimate.value):
        return plainly(estimate)
    more = f"; {also}" if also else ""
    share, interval = _percent_and_interval(estimate)
    return f"{share} ({interval}, n{KEEP}={KEEP}{count(estimate.n)}{more})"


def percent_in_brackets(estimate: Estimate) -> str:
    """Write a share in per cent with its interval, to stand in brackets after a count.

    >>> percent_in_brackets(Estimate(0.88, 0.838, 0.912, 300, "")).replace(KEEP, " ")
    '88 %, 95 % CI 84–91 %'
    """
    return ", ".join(_percent_and_interval(estimate))


def _percent_and_interval(estimate: Estimate) -> tuple[str, str]:
    places = places_of(estimate)
    interval = f"{level_of([estimate])}{KEEP}% CI {_percent_span(estimate, places)}"
    return percentage(estimate.value, places), interval


def _percent_span(estimate: Estimate, places: int) -> str:
    if math.isnan(estimate.low) or math.isnan(estimate.high):
        return "unknown"
    ends = (f"{100 * one:z.{places}f}".replace("-", "−") for one in (estimate.low, estimate.high))
    return f"{(f'{KEEP}to{KEEP}' if estimate.low < 0 else '–').join(ends)}{KEEP}%"


def percentage(share: float, places: int = 0) -> str:
    """Write a share in per cent; it gets a decimal if it would round to 0 % or 100 %.

    >>> [percentage(share).replace(KEEP, " ") for share in (0.5, 0.997, 1.0)]
    ['50 %', '99.7 %', '100 %']
    """
    if math.isnan(share):
        return "undefined"
    nearly = round(100 * share) in (0, 100) and share not in (0, 1)
    return f"{100 * share:z.{max(places, int(nearly))}f}{KEEP}%".replace("-", "−")


def places_of(estimate: Estimate) -> int:
    """Give the number of decimals that a percentage supports: one if its interval is narrow."""
    return 1 if estimate.high - estimate.low < 0.02 and estimate.high > estimate.low else 0


def interval(estimate: Estimate) -> str:
    """Write an estimate as ``value [low, high]``."""
    if math.isnan(estimate.value):
        return "undefined"
    return f"{number(estimate.value)} {span(estimate.low, estimate.high)}"


def with_n(estimate: Estimate) -> str:
    """Write an estimate with its interval and n."""
    return f"{interval(estimate)}, n{KEEP}={KEEP}{count(estimate.n)}"


def trimmed_number(value: float) -> str:
    """Write a number that somebody chose, such as a threshold, without trailing zeros, which would
    claim a precision.

    >>> trimmed_number(0.050)
    '0.05'
    """
    return f"{value:g}".replace("-", "−")


def count(n: int) -> str:
    """Write a count with separators of thousands."""
    return f"{n:,}"


def count_range(numbers: Iterable[int]) -> str:
    """Write the smallest and the largest of some counts, or the one that all have.

    >>> count_range([1725, 1594]), count_range([5, 5]), count_range([])
    ('1,594 to 1,725', '5', '0')
    """
    known = {*numbers} or {0}
    return " to ".join(map(count, sorted({min(known), max(known)})))


def count_phrase(n: int, what: str) -> str:
    """Count things, in the singular or the plural.

    >>> count_phrase(1, "cell"), count_phrase(1200, "cell"), count_phrase(2, "class")
    ('1 cell', '1,200 cells', '2 classes')
    """
    return f"{count(n)} {what if n == 1 else f'{what}es' if what.endswith('s') else f'{what}s'}"


def texts(n: int) -> str:
    """Count texts."""
    return f"{count(n)}{KEEP}{'text' if n == 1 else 'texts'}"


def rounded_up(n: int) -> int:
    """Round up a count that is itself an estimate, to two digits."""
    step: int = 10 ** max(0, len(str(n)) - 2)
    return -(-n // step) * step


def approximate_count(n: int) -> str:
    """Write a count that is itself an estimate, rounded up to two digits.

    >>> [approximate_count(n) for n in (7, 99, 1234, 1201, 98765)]
    ['7', '99', '1,300', '1,300', '99,000']
    """
    return count(rounded_up(n))


def p_value(p: float, *, at_most: bool = False) -> str:
    """Write a p-value; as a bound if it is very small, or may be smaller."""
    least = 0.001
    sign = "≤" if at_most else "="
    return f"p{KEEP}<{KEEP}{least}" if p < least / 2 else f"p{KEEP}{sign}{KEEP}{number(p)}"


def duration(seconds: float) -> str:
    """Write a duration, rounded to the precision of an estimate.

    >>> [duration(s) for s in (0.4, 48.2, 500, 9000)]
    ['1 s', '48 s', '8 min', '2.5 h']
    """
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    return f"{seconds / 60:.0f} min" if seconds < 90 * 60 else f"{seconds / 3600:.1f} h"


def duration_span(least: float, most: float) -> str:
    """Write a range of durations.

    >>> duration_span(110, 143), duration_span(110, 200)
    ('about 2 min', '2 min to 3 min')
    """
    shortest, longest = duration(least), duration(most)
    return f"about {longest}" if shortest == longest else f"{shortest} to {longest}"
