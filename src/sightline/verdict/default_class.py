"""Is a class what the model predicts when it finds no evidence for another one? Then no word
explains it.
"""

from __future__ import annotations

import numpy as np

from sightline.config.measure_registry import RIVALS, SIGNED_RIVALS
from sightline.core.results import Answer, Estimate
from sightline.stats import bootstrap
from sightline.verdict.catalogue import AUDIT_TESTS, OWN
from sightline.verdict.decision_rule import decide
from sightline.verdict.evidence import Evidence

FLIPS = 0.05
"""Share of the texts of a class whose prediction may flip, at most, when words are removed."""
OTHERS = "transplant.own.deletion"
"""A number of a map that every model has: without it, no other map was asked."""


def own_effect(evidence: Evidence, name: str, of: str) -> Answer:
    """Say whether the words that a map highlights for a class do anything by themselves."""
    number = f"transplant.own.{name}"
    if not evidence.has(number):
        return "not run"
    score = evidence.contrast(
        (number, f"transplant.random_own.{name}", "transplant.whole"), of
    ).score
    threshold = evidence.thresholds.of(AUDIT_TESTS[OWN])
    return (
        "inconclusive"
        if threshold is None
        else decide(score, threshold, evidence.thresholds.fewest(OWN))
    )


def by_absence(evidence: Evidence, of: str) -> bool:
    """Tell whether the words of a class were shown to do nothing, and no removal flips its
    predictions.

    No other map may have been found whose words do something, and words are removed in the order of
    what the removal of each alone does: a map that misses the words of a class does not make the
    class one without words.
    """
    if own_effect(evidence, "attention", of) != "failed" or not evidence.has(OTHERS):
        return False
    if any(own_effect(evidence, name, of) == "passed" for name in (*RIVALS, *SIGNED_RIVALS)):
        return False
    flips = flipped(evidence, of)
    return flips is not None and flips.value <= FLIPS


def flipped(evidence: Evidence, of: str) -> Estimate | None:
    """Give the share of the texts of a class whose prediction flips when words are removed; None
    where none was.
    """
    number = "erasure.flips.deleted.most"
    if not evidence.has(number):
        return None
    share, rows = evidence.array(number), evidence.rows(of)
    flips = np.where(np.isnan(share), np.nan, share > 0)  # of one word there is nothing to remove
    level = evidence.level(of)
    return bootstrap.proportion(flips[rows], evidence.clusters[rows], level)


def ruled_out(evidence: Evidence, of: str) -> bool:
    """Tell whether too many predictions of a class flip for it to be decided by absence, whatever
    other maps do.
    """
    flips = flipped(evidence, of)
    return flips is not None and flips.low > FLIPS
