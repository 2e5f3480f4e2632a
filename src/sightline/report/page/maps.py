"""The maps over the words that a report can show: one literal line each."""

from __future__ import annotations

from dataclasses import dataclass

from sightline.questions import MAPS as OF_WORDS


@dataclass(frozen=True)
class Map:
    """What the report calls a map, the name that all the house knows it by, and the measures that may keep its numbers.

    The first of them that has the map is asked. Maps that are ``printed`` are also drawn where no script runs.
    """

    name: str
    quantity: str
    measures: tuple[str, ...]
    printed: bool = False

    @property
    def told(self) -> str:
        """What it says of a word."""
        return OF_WORDS[self.quantity].told

    @property
    def signed(self) -> bool:
        """Whether it speaks against the decision as well as for it."""
        return OF_WORDS[self.quantity].signed


_COMPARED = ("transplant", "agreement")
"""Where maps are kept that are made to be compared with attention."""

MAPS = (
    Map("attention", "attention", ("outputs",), printed=True),
    Map("gradient", "gradient", ("agreement", "transplant"), printed=True),
    Map("leave-one-out", "deletion", ("agreement", "transplant"), printed=True),
    Map("gradient through", "gradient_through", ("agreement",)),
    Map("weight × evidence", "contribution", _COMPARED),
    Map("given scores", "given", _COMPARED),
    Map("free gradient", "free_gradient", ("agreement",)),
    Map("free leave-one-out", "free_deletion", ("agreement",)),
    Map("token evidence", "evidence", ("reach",)),
    Map("signed gradient", "signed_gradient", _COMPARED),
    Map("signed leave-one-out", "signed_deletion", _COMPARED),
    Map("signed weight × evidence", "signed_contribution", _COMPARED),
)
"""Every map a report knows, in its order; one that an audit does not hold is not offered."""


def called(quantity: str) -> str:
    """Give the name by which a report calls a map; one that it does not know keeps its own."""
    return next((kind.name for kind in MAPS if kind.quantity == quantity), quantity)
