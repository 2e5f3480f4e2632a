"""Which of many cases `make test` runs: all pairs of parts meet. `make test-all` runs every
case.
"""

from collections.abc import Collection, Hashable, Iterable, Sequence
from itertools import combinations
from typing import Any

import pytest


def every_pair(cases: Iterable[Sequence[Hashable]]) -> set[int]:
    """Choose cases, by number, so that two parts that meet in a case meet in a chosen one.

    Greedy: the case with most pairs that are still missing comes next.
    """
    missing = {number: set(combinations(enumerate(case), 2)) for number, case in enumerate(cases)}
    chosen: set[int] = set()
    while missing:
        best = max(missing, key=lambda number: len(missing[number]))
        chosen.add(best)
        met = missing.pop(best)
        missing = {number: left for number, pairs in missing.items() if (left := pairs - met)}
    return chosen


def slow_but(chosen: Collection[int], cases: Iterable[Any]) -> list[Any]:
    """Mark the cases that are not chosen as slow."""
    return [
        case if number in chosen else pytest.param(*_values(case), marks=pytest.mark.slow)
        for number, case in enumerate(cases)
    ]


def _values(case: Any) -> tuple[Any, ...]:
    return case if isinstance(case, tuple) else (case,)
