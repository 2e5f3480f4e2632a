"""The maps over the words that a report can show: one literal line each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sightline.config.word_maps import MAPS as OF_WORDS
from sightline.core.results import MapRow, merit


@dataclass(frozen=True)
class Map:
    """What the report calls a map, the name that all the house knows it by, and the measure that
    keeps its numbers.

    Of a map that is ``expected`` the report says so where an audit does not hold it, and why.
    """

    name: str
    quantity: str
    measure: str
    expected: bool = False

    @property
    def description(self) -> str:
        """What it says of a word."""
        return OF_WORDS[self.quantity].description

    @property
    def signed(self) -> bool:
        """Whether it speaks against the decision as well as for it."""
        return OF_WORDS[self.quantity].signed


MAPS = (
    Map("attention", "attention", "outputs", expected=True),
    Map("gradient", "gradient", "agreement", expected=True),
    Map("leave-one-out", "deletion", "agreement", expected=True),
    Map("gradient through", "gradient_through", "agreement"),
    Map("weight × logit", "contribution", "signs", expected=True),
    Map("given scores", "given", "signs"),
    Map("free gradient", "free_gradient", "agreement"),
    Map("free leave-one-out", "free_deletion", "agreement"),
    Map("token evidence", "evidence", "reach"),
    Map("signed gradient", "signed_gradient", "signs", expected=True),
    Map("signed leave-one-out", "signed_deletion", "signs", expected=True),
    Map("signed weight × logit", "signed_contribution", "signs", expected=True),
    Map("integrated gradient", "integrated", "signs"),
    Map("signed integrated gradient", "signed_integrated", "signs"),
    Map("signed given scores", "signed_given", "signs"),
)
"""Every map a report knows, in its order; one that an audit does not hold is not offered."""


def called(quantity: str) -> str:
    """Give the name by which a report calls a map; one that it does not know keeps its own."""
    return next((kind.name for kind in MAPS if kind.quantity == quantity), quantity)


def first_maps(kinds: Sequence[Map], rows: Sequence[MapRow]) -> tuple[str, ...]:
    """Name the maps that are looked at first: attention, and of the others the one that the audit
    puts before them.

    That is the recommended one, and of two the one with directions, which says more. Where none is,
    it is the best of those that were put first, then of all, by what their words carry; where
    nothing was carried, the first there is.
    """
    held = [kind.quantity for kind in kinds]
    ranked = sorted(rows, key=_place)
    others = [
        name
        for name in (*(row.name for row in ranked), *held)
        if name in held and name != "attention"
    ]
    return tuple(name for name in ("attention", *others[:1]) if name in held)


def _place(row: MapRow) -> tuple[bool, bool, bool, float]:
    best = recommended(row)
    return not best, not row.chosen, row.signed != best, -merit(row.carried)


def recommended(row: MapRow) -> bool:
    """Tell whether the audit says of a map that it may be shown: put first on one half, good on the
    other.
    """
    return row.chosen and row.answer == "passed"
