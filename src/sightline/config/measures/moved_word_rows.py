"""Measures on texts whose words are removed, kept, or moved into other texts."""

from __future__ import annotations

from collections.abc import Mapping

from sightline.config.measures.measure_row import MeasureRow
from sightline.config.measures.quantity import (
    CLASS,
    COUNT,
    DIFFERENCE,
    MARGIN,
    NO_ANSWER,
    ODDS,
    SHARE,
    SIZE,
    TRUTH,
    WORDS,
    Quantity,
    Scale,
)

_SHARES = [0.01, 0.05, 0.1, 0.2, 0.5]
"""Shares of the words of a text (DeYoung et al. 2020, §4.2)."""


def donors_of_each(donors: int, fewest: int, classes: int) -> int:
    """Give the most donors of Transfer that are drawn of each predicted class."""
    return max(fewest, donors // classes)


ROWS: Mapping[str, MeasureRow] = {
    "erasure": MeasureRow(
        "sightline.measures.removal:Removal",
        {"shares": _SHARES, "draws": 5, "farthest": 0.05, "among": 0.2},
        {
            "deleted.MAP": Quantity(
                (
                    "drop in log-odds of the predicted class without the top words of a map, "
                    "mean over the shares"
                ),
                ODDS,
            ),
            "curve.MAP": Quantity(
                "drop in log-odds without the top words of a map, at each share", ODDS, "N 5"
            ),
            "curve.random": Quantity(
                "drop in log-odds without as many random words, at each share", ODDS, "N 5"
            ),
            "curve.most": Quantity(
                "drop in log-odds without the words whose deletion alone costs most, at each share",
                ODDS,
                "N 5",
            ),
            "top.MAP": Quantity(
                "change in log-odds without the top 1 % of the words (at least one), "
                "starting from the whole text or from the text without the rest of the top "
                "20 % if that leaves the prediction, whichever is more",
                SIZE,
            ),
            "top.random": Quantity(
                "the same change without as many random words, mean of the orders", SIZE
            ),
            "top.most": Quantity("the largest such change under any order tried", SIZE),
            **{
                f"flips.{kind}.{name}": Quantity(
                    f"share of the shares of words, {label}, at which the prediction flips", SHARE
                )
                for kind, label in (("deleted", "deleted"), ("replaced", "replaced by others"))
                for name in ("MAP", "most", "random")
            },
            "deleted.random": Quantity(
                "drop in log-odds without as many random words, mean of the orders", ODDS
            ),
            "deleted.most": Quantity(
                "drop in log-odds without the words whose deletion alone costs most", ODDS
            ),
            "replaced.MAP": Quantity(
                "drop in log-odds with the top words replaced by words of other audited texts",
                ODDS,
            ),
            "replaced.random": Quantity(
                "drop in log-odds with as many random words replaced by words of other texts", ODDS
            ),
            "replaced.most": Quantity(
                (
                    "drop in log-odds with words of other texts in place of those whose "
                    "deletion alone costs most"
                ),
                ODDS,
            ),
            "alone": Quantity("predicted class of one random word of the text alone", CLASS),
            "area": Quantity(
                "comprehensiveness as published: mean drop of the *probability*, by attention, deleted",
                DIFFERENCE,
            ),
            "floor": Quantity("comprehensiveness as published, of random words", DIFFERENCE, "N 5"),
            "unanswered": NO_ANSWER,
            "words": WORDS,
        },
    ),
    "sufficiency": MeasureRow(
        "sightline.measures.sufficiency:Sufficiency",
        {"shares": _SHARES, "draws": 5},
        {
            "kept.MAP": Quantity(
                "log-odds of the predicted class when only the top words of a map are kept, "
                "mean over the shares",
                ODDS,
            ),
            "kept.random": Quantity(
                "log-odds with as many random words kept, mean of the orders", ODDS
            ),
            "kept.most": Quantity(
                "log-odds with only the words whose deletion alone costs most", ODDS
            ),
            "curve.MAP": Quantity(
                "log-odds with only the top words of a map, at each share", ODDS, "N 5"
            ),
            "curve.random": Quantity(
                "log-odds with as many random words kept, at each share", ODDS, "N 5"
            ),
            "curve.most": Quantity(
                "log-odds with only the words whose deletion alone costs most, at each share",
                ODDS,
                "N 5",
            ),
            "whole": Quantity("log-odds of the predicted class on the whole text", ODDS),
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
                "weight as donor, so that every predicted class counts equally; 0: not drawn",
                Scale("weight", 0),
            ),
            "partner": Quantity(
                "row of the receiver among the audited texts; −1: none", Scale("row", -1), "N K"
            ),
            "same": Quantity(
                "whether the donor's words get the receiver's prediction under its query, so that "
                "none are moved",
                TRUTH,
                "N K",
            ),
            "whole": Quantity(
                "change in the margin when *all* words are moved, summed over the shares",
                MARGIN,
                "N K",
            ),
            "carried.MAP": Quantity(
                "change in the margin when the top words of a map are moved, summed over the "
                "shares",
                MARGIN,
                "N K",
            ),
            "random.MAP": Quantity(
                "change in the margin when as many random positions are moved, summed over "
                "the shares",
                MARGIN,
                "N K",
            ),
            "flipped.MAP": Quantity(
                "number of shares at which the top words of a map turn the prediction into "
                "the donor's",
                COUNT,
                "N K",
            ),
            "random_flipped.MAP": Quantity(
                "number of shares at which as many random positions do so", COUNT, "N K"
            ),
            "own.MAP": Quantity(
                (
                    "effect of the donor's top words by themselves: inserted into the "
                    "receiver, and replaced by the receiver's words in the donor"
                ),
                MARGIN,
                "N K",
            ),
            "random_own.MAP": Quantity(
                "effect of as many random positions of the donor by themselves", MARGIN, "N K"
            ),
            "right.MAP": Quantity(
                "whether the top words reach at least half of the largest effect possible by "
                "themselves",
                TRUTH,
            ),
            "unanswered": NO_ANSWER,
            "within": Quantity(
                (
                    "share of the hybrids whose prediction is no more confident than the "
                    "prediction on 99 % of the unchanged texts"
                ),
                SHARE,
            ),
            "present.MAP": Quantity(
                "1 if the donor has more of the words that the map highlights for its class "
                "on the other half of the texts; 0.5 for a tie; 0 if the receiver has more",
                Scale("share", 0, 1),
                "N K",
            ),
            "present.all": Quantity(
                "the same for a map that highlights every word", Scale("share", 0, 1), "N K"
            ),
        },
    ),
}
