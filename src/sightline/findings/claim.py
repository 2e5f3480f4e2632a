"""What a claim is: one row, and everything that is said, measured and shown of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from sightline.results import Role

Kind = Literal["contrast", "share without", "weakest drop"]
"""How a claim is judged; each is a function in ``findings/kinds.py``."""
How = Literal["mean", "unbounded mean", "share", "drop"]
"""How a quantity becomes a number with an interval; each is a branch of ``Evidence.estimate``."""


@dataclass(frozen=True)
class Shown:
    """A quantity that is estimated for the report; one with words stands beside the finding, by these.

    One that is ``drawn_with`` another shares its resamples: two sides that are equal then have equal intervals.
    """

    name: str
    words: str = ""
    how: How = "mean"
    drawn_with: str = ""


@dataclass(frozen=True)
class Claim:
    """One claim.

    Parameters
    ----------
    code, text
        Its stable code, which has a page in ``docs/findings/``, and what it says.
    role
        What its answer does in the verdict table: an answer may *decide* a row, add a *caveat*, or be *context*.
    caveat
        What its failing means to a reader of the map.
    kind
        How it is judged.
    number, floor, draws
        The quantities, named ``measure.quantity``, that give its number, what an uninformed attention would score, and
        draws of that floor for a p-value. Where the number is the weakest of those ``shown``, the measure alone.
    number_words, floor_words
        What number and floor are, as the beginnings of "…: 0.66".
    waits_on
        The claim without which its answer stays open.
    shown
        What else is estimated to read it with.
    """

    code: str
    text: str
    role: Role
    caveat: str
    kind: Kind
    number: str
    number_words: str
    floor_words: str
    floor: str = ""
    draws: str = ""
    waits_on: str = ""
    shown: tuple[Shown, ...] = ()

    @property
    def bears(self) -> bool:
        """Whether the verdict looks at it."""
        return self.role != "context"

    @property
    def measure(self) -> str:
        """The measure that its number comes from."""
        return self.number.partition(".")[0]

    @property
    def beside(self) -> Mapping[str, str]:
        """What stands beside the finding: under which name each is estimated, by what it is."""
        return {one.words: one.name for one in self.shown if one.words}

    def quantities(self) -> Iterator[Shown]:
        """Name everything that is estimated for it: number and floor first."""
        if self.kind == "contrast":
            yield from (Shown(self.number), Shown(self.floor))
        elif self.kind == "share without":
            yield Shown(self.number, how="share")
        yield from self.shown
