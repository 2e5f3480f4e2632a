"""What each number of a measure means, and its range."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Scale:
    """What a number counts or measures, with its least and largest value where they exist."""

    unit: str
    low: float = -math.inf
    high: float = math.inf


SHARE, CHANCE, MOVED = (
    Scale("share", 0, 1),
    Scale("probability", 0, 1),
    Scale("total variation", 0, 1),
)
APART = Scale("nats", 0, math.log(2))
DIFFERENCE, TAU = Scale("probability", -1, 1), Scale("rank correlation", -1, 1)
ODDS, MARGIN = Scale("log-odds"), Scale("difference of logits")
PART = Scale("share of the mean")
FOUND = Scale("log of a ratio", high=0)
COUNT, CLASS, TRUTH = Scale("count", 0), Scale("number of a class", 0), Scale("no or yes", 0, 1)
SIZE, ANY = Scale("size of a change", 0), Scale("signed size of a change")


@dataclass(frozen=True)
class Quantity:
    """One quantity of a measure.

    ``shape`` describes its array: one number for each of N texts, several numbers for each, one for
    each word, or one for `all texts` together.
    """

    description: str
    scale: Scale
    shape: str = "N"


WORDS = Quantity("words of the text", COUNT)
ALL_EQUAL = Quantity("whether all weights are equal up to rounding", TRUTH)
NO_ANSWER = Quantity("whether the model has no finite answer to a changed form of the text", TRUTH)
NO_TOP = Quantity("whether no weight stands out: all are within 5 % of the largest", TRUTH)
GOLD, LEARNED = Quantity("gold class", CLASS), Quantity("predicted class", CLASS)
NATS = Scale("nats")
WHOLE = "all texts"
"""The shape of a number that only all texts together have."""
