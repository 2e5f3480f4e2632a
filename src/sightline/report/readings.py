"""Which of a model's readings was chosen, in sentences, and what each that was tried did."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from math import isnan
from typing import Any

from sightline.report.numerals import count, number, plainly
from sightline.results import Estimate, Results

QUESTION = "Which attention is this?"
_HEAD = re.compile(r"\(layer=(\d+),head=(\d+)\)")
MEASURED = (
    "How far what the decision loses gets from random words (0) to the words that matter most (1), when the first "
    "words of a reading are deleted"
)
"""What the number of a reading is: the effect of SL-301."""

STEPS = 10
"""Of the shades of the page."""
_ESTIMATE = ("value", "low", "high", "n", "method")


@dataclass(frozen=True)
class Tried:
    """A reading that was tried, and what it carried on the texts that chose."""

    words: str
    chosen: bool
    carried: Estimate


@dataclass(frozen=True)
class Heat:
    """What each head carried, a row for each layer: as text, and the step of its shade; None is no head."""

    heads: int
    rows: tuple[tuple[tuple[str, int] | None, ...], ...]


def choice(audit: Results) -> str:
    """Say which reading was chosen, among how many and on which texts; nothing where there was no choice."""
    found = audit.spec.get("readings")
    if not found:
        return ""
    best = next(one for one in tried(found) if one.chosen)
    learned = found["learned_from"]
    beside = f" (one of them learned on {count(learned)} validation texts)" if found["shares"] else ""
    return (
        f"Of {count(len(found['tried']))} readings{beside} that were tried on {count(found['texts'])} texts, "
        f"{best.words} carried most of the decision: {plainly(best.carried)}. All that is said here is of it, on other "
        "texts, which had no part in the choice."
    )


def tried(found: Mapping[str, Any]) -> list[Tried]:
    """List what was tried, the best first, what has no number last."""
    rows = [
        Tried(one["words"], one["reading"] == found["chosen"], Estimate(**{name: one[name] for name in _ESTIMATE}))
        for one in found["tried"]
    ]
    return sorted(rows, key=lambda one: (not one.chosen, isnan(one.carried.value), -one.carried.value))


def heat(found: Mapping[str, Any]) -> Heat | None:
    """Lay single heads out by layer and head; nothing where there are none."""
    by_place = {
        (int(place[1]), int(place[2])): one["value"]
        for one in found["tried"]
        if (place := _HEAD.fullmatch(one["reading"]))
    }
    if not by_place:
        return None
    layers, heads = (1 + max(place[axis] for place in by_place) for axis in (0, 1))
    rows = [[_cell(by_place.get((layer, head))) for head in range(heads)] for layer in range(layers)]
    return Heat(heads, tuple(map(tuple, rows)))


def _cell(value: float | None) -> tuple[str, int] | None:
    """Write a number with its step, of ten; below chance and without a number there is no shade."""
    if value is None:
        return None
    return number(value), 0 if isnan(value) else round(STEPS * min(1.0, max(0.0, value)))
