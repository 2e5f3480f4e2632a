"""The attribution maps that a report can show, one literal line each."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import partial

from sightline.config.word_maps import MAPS as OF_WORDS
from sightline.core.results import MapRow, merit


@dataclass(frozen=True)
class Map:
    """A map: its name in the report, its name in the code, and the measure that stores its numbers.

    If an audit lacks an ``expected`` map, the report says so, and why.
    """

    name: str
    quantity: str
    measure: str
    expected: bool = False

    @property
    def description(self) -> str:
        """What its numbers mean."""
        return OF_WORDS[self.quantity].description

    @property
    def signed(self) -> bool:
        """Whether its numbers can speak against the predicted class."""
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
"""Every map of a report, in order; maps that an audit does not have are left out."""


def map_title(quantity: str) -> str:
    """Give the name of a map in a report; an unknown map keeps its own."""
    return next((kind.name for kind in MAPS if kind.quantity == quantity), quantity)


def first_maps(
    kinds: Sequence[Map], rows: Sequence[MapRow], recommended: Collection[str] = ()
) -> tuple[str, ...]:
    """Name the maps that are shown first: attention, and the best other map by the audit.

    That is the recommended map; among two, the signed one, which says more. If none is recommended,
    it is the best of the chosen maps, then of all, by transfer score; without scores, the first
    map.
    """
    held = [kind.quantity for kind in kinds]
    ranked = sorted(rows, key=partial(_place, recommended))
    others = [
        name
        for name in (*(row.name for row in ranked), *held)
        if name in held and name != "attention"
    ]
    return tuple(name for name in ("attention", *others[:1]) if name in held)


def _place(recommended: Collection[str], row: MapRow) -> tuple[bool, bool, bool, float]:
    best = row.name in recommended
    return not best, not row.chosen, row.signed != best, -merit(row.carried)
