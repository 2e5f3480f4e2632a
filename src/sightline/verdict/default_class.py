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
FLIPPED = "erasure.flips.deleted.most"
"""At which share of the removals, in the order of what each word alone does, a prediction flips."""
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
    share = flipped_share(evidence, of)
    return share is not None and share.value <= FLIPS


def flipped_share(evidence: Evidence, of: str) -> Estimate | None:
    """Estimate of how many texts of a class some removal flips the prediction; None where nothing
    was removed.
    """
    if not evidence.has(FLIPPED):
        return None
    share, rows = evidence.array(FLIPPED), evidence.rows(of)
    flips = np.where(np.isnan(share), np.nan, share > 0)  # of one word there is nothing to remove
    return bootstrap.proportion(flips[rows], evidence.clusters[rows], evidence.level(of))


def is_found(evidence: Evidence, of: str) -> bool:
    """Tell whether removals surely flip more predictions of a class than one decided by absence may
    have: no other map has to be asked for that.
    """
    share = flipped_share(evidence, of)
    return share is not None and share.low > FLIPS
