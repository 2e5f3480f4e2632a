"""Which attention source of a model was chosen, in sentences, and the score of each candidate."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from math import isnan
from typing import Any

from sightline.core.audited_map import ATTENTION
from sightline.core.results import ONE_WEIGHT, Estimate, Results
from sightline.report.number_format import count, number, plainly
from sightline.report.sentences import quoted

QUESTION = "Which attention is this?"
_HEAD = re.compile(r"\(layer=(\d+),head=(\d+)\)")
MEASURED = (
    "The score of SL-301 when the first words of an attention source are deleted: 0 is what "
    "random words do, 1 what the most important words do"
)
"""What the score of an attention source means."""

STEPS = 10
"""Number of shades on the page."""
_ESTIMATE = ("value", "low", "high", "n", "method")


@dataclass(frozen=True)
class Tried:
    """An attention source that was tried, and its score on the texts used for the choice."""

    words: str
    chosen: bool
    carried: Estimate


@dataclass(frozen=True)
class HeadScores:
    """The score of each head, one row a layer, as text with the step of its shade; None where there
    is no head.
    """

    heads: int
    rows: tuple[tuple[tuple[str, int] | None, ...], ...]


CRITERIA = {
    "removal": "Removal (SL-301)",
    "worst_class": "Removal in the predicted class where it is lowest",
    "transfer": "Transfer (SL-303)",
    "agreement": "agreement with gradient and leave-one-out (SL-101, SL-102)",
}
"""Name of each criterion of the choice."""
MOST_NAMED = 6
"""Sources that are named one by one."""


def source_of(audit: Results) -> str:
    """Name the attention source that was audited, of a model that has several; empty for a model
    with one, or a map that is no attention.
    """
    card = audit.cards.get("model")
    source = str(card.get("reading", "")) if isinstance(card, Mapping) else ""
    other_map = audit.verdict.of_map != ATTENTION
    return "" if other_map or source == ONE_WEIGHT else source


def said_of_source(audit: Results) -> str:
    """Say how the attention source was chosen, or else which one was named; empty if there is one
    alone.
    """
    source = source_of(audit)
    return choice(audit) or (f"Attention here is {source}." if source else "")


def choice(audit: Results) -> str:
    """Say which source was chosen, among how many, on which texts, and which may be as good."""
    found = audit.spec.get("readings")
    if not found:
        return ""
    best = next(one for one in tried_sources(found) if one.chosen)
    learned = found["learned_from"]
    mixture = (
        f" (one of them learned on {count(learned)} validation texts)" if found["shares"] else ""
    )
    said = (
        f"Of {count(len(found['tried']))} attention sources{mixture} that were compared on "
        f"{count(found['texts'])} texts{_by_class(found.get('of_class'))}, {best.words} was "
        f"chosen; its score of Removal there: {plainly(best.carried)}."
    )
    audited = (
        f"All other numbers are of {best.words}, on other texts, which had no part in the choice."
    )
    return " ".join(filter(None, (said, _told_apart(found), audited)))


def _by_class(counts: Mapping[str, int] | None) -> str:
    """Say how many texts of each predicted class were used for the choice."""
    if not counts:
        return ""
    return f" (predicted {', '.join(f'{quoted(name)}: {count(n)}' for name, n in counts.items())})"


def _told_apart(found: Mapping[str, Any]) -> str:
    """Say which other sources are as good by every criterion, or which criterion left only the
    chosen one; and how many were left out without a comparison.
    """
    uncompared = found.get("uncompared", 0)
    without = (
        f" {count(uncompared)} were left out before they were compared by every criterion: they have "
        "no score, or lower ones of Removal in their worst class."
        if uncompared
        else ""
    )
    words = {one["reading"]: one["words"] for one in found["tried"]}
    if names := [words[name] for name in found["alike"]]:
        more = f" and {count(len(names) - MOST_NAMED)} more" if len(names) > MOST_NAMED else ""
        return f"Not surely different from it: {', '.join(names[:MOST_NAMED])}{more}.{without}"
    by = next((criterion for criterion, left in found["left_by"].items() if left == 1), "")
    if not by:
        return without.strip()
    others = "All others that were compared" if uncompared else "All others"
    return f"{others} are surely worse; {CRITERIA[by]} ruled out the last of them.{without}"


def tried_sources(found: Mapping[str, Any]) -> list[Tried]:
    """List the sources that were tried, the best first, those without a number last."""
    rows = [
        Tried(
            one["words"],
            one["reading"] == found["chosen"],
            Estimate(**{name: one[name] for name in _ESTIMATE}),
        )
        for one in found["tried"]
    ]
    return sorted(
        rows, key=lambda one: (not one.chosen, isnan(one.carried.value), -one.carried.value)
    )


def heat(found: Mapping[str, Any]) -> HeadScores | None:
    """Arrange single heads by layer and head; None if there are none."""
    by_place = {
        (int(place[1]), int(place[2])): one["value"]
        for one in found["tried"]
        if (place := _HEAD.fullmatch(one["reading"]))
    }
    if not by_place:
        return None
    layers, heads = (1 + max(place[axis] for place in by_place) for axis in (0, 1))
    rows = [
        [_cell(by_place.get((layer, head))) for head in range(heads)] for layer in range(layers)
    ]
    return HeadScores(heads, tuple(map(tuple, rows)))


def _cell(value: float | None) -> tuple[str, int] | None:
    """Write a number with its step, of ten; no shade below chance or without a number."""
    if value is None:
        return None
    return number(value), 0 if isnan(value) else round(STEPS * min(1.0, max(0.0, value)))
