"""The maps over the words that a page can show: one literal line each."""

from __future__ import annotations

from dataclasses import dataclass

from sightline.questions import MAPS as OF_WORDS


@dataclass(frozen=True)
class Map:
    """What the page calls a map, and the measure that keeps its numbers, under the name that all the house knows it by.

    Maps that are ``printed`` are also drawn where no script runs.
    """

    name: str
    measure: str
    quantity: str
    printed: bool = False

    @property
    def told(self) -> str:
        """What it says of a word."""
        return OF_WORDS[self.quantity].told

    @property
    def signed(self) -> bool:
        """Whether it speaks against the decision as well as for it."""
        return OF_WORDS[self.quantity].signed


MAPS = (
    Map("attention", "outputs", "attention", printed=True),
    Map("gradient", "agreement", "gradient", printed=True),
    Map("leave-one-out", "agreement", "deletion", printed=True),
    Map("gradient through", "agreement", "gradient_through"),
    Map("free gradient", "agreement", "free_gradient"),
    Map("free leave-one-out", "agreement", "free_deletion"),
    Map("token evidence", "reach", "evidence"),
)
"""Every map a page knows, in its order; one that an audit does not hold is not offered."""
