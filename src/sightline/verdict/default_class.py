"""Is a class what the model predicts when it finds no evidence for another one? Then no word
explains it.
"""

from __future__ import annotations

import numpy as np

from sightline.config.word_maps import RIVALS, SIGNED_RIVALS
from sightline.core.results import Answer
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
    number = "erasure.flips.deleted.most"
    if not evidence.has(number):
        return False
    share, rows = evidence.array(number), evidence.rows(of)
    flips = np.where(np.isnan(share), np.nan, share > 0)  # of one word there is nothing to remove
    return bootstrap.proportion(flips[rows], evidence.clusters[rows]).value <= FLIPS
