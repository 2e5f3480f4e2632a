"""The claims an audit tests, by their stable codes (each has a page in ``docs/findings/``)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Claim:
    """One claim: its words, whether it bears on the verdict, and what its failing means to a reader of the map."""

    text: str
    bears: bool
    caveat: str


CLAIMS: Mapping[str, Claim] = {
    "SL-001": Claim(
        "attention is needed on this task",
        True,
        "the model does as well without choosing, so what it weighs explains little",
    ),
    "SL-101": Claim(
        "the attended words are those the gradient says drive the output",
        True,
        "the highlighted words are not the ones the output is most sensitive to",
    ),
    "SL-102": Claim(
        "the attended words are those whose removal changes the output",
        True,
        "removing a highlighted word changes the output little more than removing another",
    ),
    "SL-104": Claim(
        "attention chose the words that carry the evidence",
        True,
        "these words were weighted, but a random choice would look the same",
    ),
    "SL-202": Claim(
        "which word gets which weight matters",
        True,
        "the same weights on other words would give much the same output",
    ),
    "SL-301": Claim(
        "removing the attended words changes the answer",
        True,
        "removing the highlighted words changes the answer no more than removing random ones",
    ),
    "SL-103": Claim(
        "the references agree with each other",
        False,
        "gradient and deletion point to different words, so neither can vouch for attention",
    ),
    "SL-201": Claim(
        "another attention could change the decision",
        False,
        "on most texts no attention whatever would have changed the decision",
    ),
}

UNMEASURED: Mapping[str, str] = {
    "SL-205": "whether the attended words hold the decision",
    "SL-302": "whether the attended words suffice",
    "SL-401": "whether more attended states know more about the label",
    "SL-402": "whether a state stands for its word",
}
"""Claims about attention that this version does not test; while SL-402 is among them, row 4 is out of reach."""
