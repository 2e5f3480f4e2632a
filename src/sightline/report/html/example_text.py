"""The example at the head of the page: the text on which attention and the map that may be shown
instead differ most.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from sightline.core.results import MUST_NOT, MapRow, Results, merit
from sightline.report.alternative_maps import families
from sightline.report.html.token_highlights import TextView, text_maps, text_view
from sightline.report.html.view_model import HeldMap, HeldTexts
from sightline.report.number_format import count
from sightline.report.sentences import answers, by_absence, quoted

LONGEST = 60
"""Most words of a text that is seen at one glance; if all are longer, the shortest are used."""
_SHORTEST = 20


@dataclass(frozen=True)
class ExampleView:
    """The text, drawn by both maps, and how it was chosen."""

    text: TextView
    description: str


def example_view(audit: Results, held: HeldTexts) -> ExampleView | None:
    """Choose the text, and draw it by attention and by its best competitor; None without two such
    maps.
    """
    known = {each.kind.quantity: each for each in held.maps}
    rival = next((known[row.name] for row in _rivals(audit.maps) if row.name in known), None)
    if rival is None or "attention" not in known or not held.records:
        return None
    classes, absent = _bad_classes(audit), by_absence(audit.verdict)
    asked = [
        i for i, text in enumerate(held.records) if text.predicted not in absent
    ]  # no map explains the other texts
    among = _glanced(
        held, [i for i in asked if not classes or held.records[i].predicted in classes]
    )
    if not among:
        return None
    index = max(among, key=lambda i: _apart(known["attention"].rows[i], rival.rows[i]))
    record = replace(held.records[index], rationale=None)
    rows = text_maps(
        record, [(each.kind, each.rows[index]) for each in (known["attention"], rival)]
    )
    pair = known["attention"], rival
    return ExampleView(text_view(held, index, rows), _describe(held, pair, classes, absent, among))


def _rivals(rows: Sequence[MapRow]) -> list[MapRow]:
    """Order the unsigned maps other than attention: the chosen one, then by transfer score."""
    weighing = next((family.rows for family in families(rows) if not family.signed), ())
    others = [row for row in weighing if row.name != "attention"]
    return sorted(others, key=lambda row: (not row.chosen, -merit(row.carried)))


def _bad_classes(audit: Results) -> list[str]:
    """Name the classes for which the map must not be shown, if classes differ: the example is from
    one of these.
    """
    if len(answers(audit.verdict)) == 1:
        return []
    predicted = {text.predicted for text in audit.texts}
    return [
        name
        for name, one in audit.verdict.by_class.items()
        if one.level == MUST_NOT and name in predicted
    ]


def _glanced(held: HeldTexts, among: Sequence[int]) -> list[int]:
    """Keep the texts that are seen at one glance, in their order; else the shortest."""
    short = [i for i in among if len(held.records[i].tokens) <= LONGEST]
    return short or sorted(among, key=lambda i: len(held.records[i].tokens))[:_SHORTEST]


def _apart(first: Float[np.ndarray, " T"], second: Float[np.ndarray, " T"]) -> float:
    """Total variation between two maps, each scaled to sum to one; used only to choose a text."""
    parts = [np.clip(values, 0.0, None) for values in (first, second)]
    sums = [float(values.sum()) for values in parts]
    if not all(math.isfinite(total) and total > 0 for total in sums):
        return -1.0
    return 0.5 * float(np.abs(parts[0] / sums[0] - parts[1] / sums[1]).sum())


def _describe(
    held: HeldTexts,
    pair: tuple[HeldMap, HeldMap],
    classes: Sequence[str],
    absent: Sequence[str],
    among: Sequence[int],
) -> str:
    shown, rival = pair
    named = (
        classes or list(dict.fromkeys(held.records[i].predicted for i in among))
        if absent
        else classes
    )
    predicted = f" predicted {' or '.join(map(quoted, named))}" if named else ""
    longest = max(len(held.records[i].tokens) for i in among)
    return (
        f"Of {count(len(among))} texts{predicted} of at most {count(longest)} words, "
        f"{shown.kind.name} and {rival.kind.name} differ most on this one. The more strongly a "
        "word is highlighted, the more the map gives to it."
    )
