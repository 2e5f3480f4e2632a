"""Is a class what the model predicts when it finds no evidence for another? Then no word explains
it.
"""

from __future__ import annotations

import numpy as np

from sightline.config.word_maps import RIVALS, SIGNED_RIVALS
from sightline.core.results import Answer, Estimate
from sightline.stats import bootstrap
from sightline.verdict.catalogue import AUDIT_TESTS, OWN
from sightline.verdict.decision_rule import decide
from sightline.verdict.evidence import Evidence, ScoreQuantities

FLIPS = 0.05
"""Largest share of the texts of a class whose prediction may flip when words are removed."""
FLIPPED = "erasure.flips.deleted.most"
"""Shares of words whose removal flips the prediction, in the order of each word's own effect."""
ALONE = "erasure.alone"
"""The class of one random word of a text alone."""
USUAL = 0.5
"""Share of such words from texts of other classes: a class that the model predicts without evidence
surely gets more."""
OTHERS = "transplant.own.deletion"
"""A number of a map that every model has; without it, only the audited map was tested."""


def own_effect(evidence: Evidence, name: str, of: str) -> Answer:
    """Test whether the words that a map highlights for a class have an effect by themselves."""
    number = f"transplant.own.{name}"
    if not evidence.has(number):
        return "not run"
    names = ScoreQuantities(number, f"transplant.random_own.{name}", "transplant.whole")
    score = evidence.contrast(names, of).score
    threshold = evidence.thresholds.of(AUDIT_TESTS[OWN])
    return (
        "inconclusive"
        if threshold is None
        else decide(score, threshold, evidence.thresholds.fewest(OWN))
    )


def by_absence(evidence: Evidence, of: str, own: Answer | None = None) -> bool:
    """Check whether the words of a class have no effect, no removal flips its predictions, and it is
    predicted where evidence for another class is gone.

    No other map may have words with an effect, and words are removed in the order of their own
    removal effects. So a map that misses the words of a class does not make it a class without
    words. ``own`` replaces the result for the audited map, to see what another would change.
    """
    if (own or own_effect(evidence, "attention", of)) != "failed" or not evidence.has(OTHERS):
        return False
    if any(own_effect(evidence, name, of) == "passed" for name in (*RIVALS, *SIGNED_RIVALS)):
        return False
    share, alone = flipped_share(evidence, of), share_without_evidence(evidence, of)
    if share is None or alone is None:
        return False
    return share.value <= FLIPS and alone.low > USUAL


def flipped_share(evidence: Evidence, of: str) -> Estimate | None:
    """Estimate the share of a class whose predictions some removal flips; None without removals."""
    if not evidence.has(FLIPPED):
        return None
    share, rows = evidence.array(FLIPPED), evidence.rows(of)
    flips = np.where(np.isnan(share), np.nan, share > 0)  # of one word there is nothing to remove
    return bootstrap.proportion(flips[rows], evidence.clusters[rows], evidence.level(of))


def share_without_evidence(evidence: Evidence, of: str) -> Estimate | None:
    """Estimate how often a class is predicted of one random word alone that was taken from a text of
    another class; None where that was not measured.

    Removals take half of a text. Where it holds many words of which any is enough, none flips its
    prediction, and yet the class is found by its words. In the texts of another class these words
    are missing.
    """
    others = ~evidence.rows(of) & evidence.finite
    if not evidence.has(ALONE) or not others.any():
        return None
    alone = evidence.array(ALONE)
    same = np.where(np.isnan(alone), np.nan, alone == evidence.label_names.index(of))
    found = bootstrap.proportion(same[others], evidence.clusters[others], evidence.level(of))
    return found if found.n else None


def absence_ruled_out(evidence: Evidence, of: str) -> bool:
    """Check whether removals surely flip more predictions than a class decided by absence may have,
    or it is surely not predicted without evidence.

    Then no other map has to be tested.
    """
    share, alone = flipped_share(evidence, of), share_without_evidence(evidence, of)
    return (share is not None and share.low > FLIPS) or (alone is not None and alone.high <= USUAL)


def limits_are_open(evidence: Evidence, of: str) -> bool:
    """Check whether, of a class for which absence is not ruled out, more texts could change on which
    side of its limit one of the two shares lies.
    """
    share, alone = flipped_share(evidence, of), share_without_evidence(evidence, of)
    if share is None or alone is None:
        return False
    return share.low <= FLIPS < share.high or alone.low <= USUAL < alone.high
