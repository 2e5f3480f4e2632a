"""What an audit asks of texts whose words are removed, kept, or moved into other texts."""

from __future__ import annotations

from collections.abc import Mapping

from sightline.config.measures.measure_row import MeasureRow
from sightline.config.measures.quantity import (
    COUNT,
    DIFFERENCE,
    MARGIN,
    ODDS,
    SHARE,
    SIZE,
    TRUTH,
    WORDS,
    Quantity,
    Scale,
)

_SHARES = [0.01, 0.05, 0.1, 0.2, 0.5]
"""Of the words of a text: DeYoung et al. 2020, §4.2."""
ROWS: Mapping[str, MeasureRow] = {
    "erasure": MeasureRow(
        "sightline.measures.removal:Removal",
        {"shares": _SHARES, "draws": 5, "farthest": 0.05, "among": 0.2},
        {
            "deleted.MAP": Quantity(
                (
                    "drop of the log-odds of the decided class without the top words of a map, mean "
                    "over the shares"
                ),
                ODDS,
            ),
            "curve.MAP": Quantity(
                "drop of the log-odds without the top words of a map, at each share", ODDS, "N 5"
            ),
            "curve.random": Quantity(
                "drop of the log-odds without as many random words, at each share", ODDS, "N 5"
            ),
            "curve.most": Quantity(
                "drop of the log-odds without the words whose own deletion costs most, at each share",
                ODDS,
                "N 5",
            ),
            "top.MAP": Quantity(
                "how far the log-odds move without the top 1 % of the words, at least one: from "
                "the whole text, or where the rest of the top 20 % is gone already, whichever is "
                "more",
                SIZE,
            ),
            "top.random": Quantity(
                "how far they move without as many random words, mean of the orders", SIZE
            ),
            "top.most": Quantity(
                "the farthest that they move under any of the orders that are tried", SIZE
            ),
            **{
                f"flips.{kind}.{name}": Quantity(
                    f"share of the shares of words, {label}, at which the prediction flips", SHARE
                )
                for kind, label in (("deleted", "deleted"), ("replaced", "replaced by others"))
                for name in ("MAP", "most", "random")
            },
            "deleted.random": Quantity(
                "drop of the log-odds without as many random words, mean of the orders", ODDS
            ),
            "deleted.most": Quantity(
                "drop of the log-odds without the words whose own deletion costs most", ODDS
            ),
            "replaced.MAP": Quantity(
                "drop of the log-odds with words of other audited texts in the places of the top words",
                ODDS,
            ),
            "replaced.random": Quantity(
                "drop of the log-odds with words of other texts in as many random places", ODDS
            ),
            "replaced.most": Quantity(
                (
                    "drop of the log-odds with words of other texts in place of the words whose own "
                    "deletion costs most"
                ),
                ODDS,
            ),
            "area": Quantity(
                "comprehensiveness as published: mean drop of the *probability*, by attention, deleted",
                DIFFERENCE,
            ),
            "floor": Quantity("comprehensiveness as published, of random words", DIFFERENCE, "N 5"),
            "words": WORDS,
        },
    ),
    "sufficiency": MeasureRow(
        "sightline.measures.sufficiency:Sufficiency",
        {"shares": _SHARES, "draws": 5},
        {
            "kept.MAP": Quantity(
                "log-odds of the decided class that are left when only the top words of a map "
                "are kept, mean over the shares",
                ODDS,
            ),
            "kept.random": Quantity(
                "log-odds left with as many random words, mean of the orders", ODDS
            ),
            "kept.most": Quantity(
                "log-odds left with the words whose own deletion costs most", ODDS
            ),
            "curve.MAP": Quantity(
                "log-odds left with the top words of a map, at each share", ODDS, "N 5"
            ),
            "curve.random": Quantity(
                "log-odds left with as many random words, at each share", ODDS, "N 5"
            ),
            "curve.most": Quantity(
                "log-odds left with the words whose own deletion costs most, at each share",
                ODDS,
                "N 5",
            ),
            "whole": Quantity("log-odds of the decided class on the whole text", ODDS),
            "area": Quantity(
                (
                    "sufficiency as published: mean drop of the *probability*, by attention; small "
                    "where the words suffice"
                ),
                DIFFERENCE,
            ),
            "floor": Quantity("sufficiency as published, of random words", DIFFERENCE, "N 5"),
            "words": WORDS,
        },
    ),
    "transplant": MeasureRow(
        "sightline.measures.transfer.transfer:Transfer",
        {
            "shares": _SHARES,
            "own": [0.05, 0.1, 0.2],
            "donors": 400,
            "fewest": 50,
            "partners": 3,
            "reached": 0.99,
            "right": 0.5,
            "top": 0.1,
            "prior": 2.0,
            "surveys": "audited",
        },
        {
            "half": Quantity("which half of the texts", TRUTH),
            "weight": Quantity(
                "weight as donor, so that every decided class counts alike; 0: not drawn",
                Scale("weight", 0),
            ),
            "partner": Quantity(
                "row of the receiver among the audited texts; −1: none", Scale("row", -1), "N K"
            ),
            "whole": Quantity(
                "what moving *all* words does to the margin, summed over the shares", MARGIN, "N K"
            ),
            "carried.MAP": Quantity(
                "what the top words of a map do to the margin, summed over the shares",
                MARGIN,
                "N K",
            ),
            "random.MAP": Quantity(
                "what as many random positions do to the margin, summed over the shares",
                MARGIN,
                "N K",
            ),
            "flipped.MAP": Quantity(
                "at how many shares the top words of a map make the prediction the donor's",
                COUNT,
                "N K",
            ),
            "random_flipped.MAP": Quantity(
                "at how many shares as many random positions do", COUNT, "N K"
            ),
            "own.MAP": Quantity(
                (
                    "what the donor's top words do by themselves: put into the receiver, and "
                    "replaced by its own in the donor"
                ),
                MARGIN,
                "N K",
            ),
            "random_own.MAP": Quantity(
                "what as many random positions of the donor do by themselves", MARGIN, "N K"
            ),
            "right.MAP": Quantity(
                "whether the top words do at least half of what they could by themselves", TRUTH
            ),
            "within": Quantity(
                (
                    "share of the hybrids whose prediction is no surer than that of 99 % of the "
                    "texts as they are"
                ),
                SHARE,
            ),
            "present.MAP": Quantity(
                "1: the donor has more of the words that the map highlights for its class on the "
                "other half of the texts, 0.5: as many, 0: the receiver has",
                Scale("share", 0, 1),
                "N K",
            ),
            "present.all": Quantity(
                "the same of a map that highlights every word", Scale("share", 0, 1), "N K"
            ),
        },
    ),
}
