"""Each test as sums over texts, one for each way to ask it: the input of comparing two audits.

The score of a test is the ratio of these sums, so a score is defined exactly where the test judges
it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from sightline.stats.dyads import PairSums
from sightline.stats.ratios import RatioSums
from sightline.verdict.accuracy_drop import DROPS, WORDS
from sightline.verdict.audit_test import AuditTest, Kind
from sightline.verdict.evidence import Evidence, named_score_quantities
from sightline.verdict.scoring_rules import losses_of_drop, missing, share_of
from sightline.verdict.transfer_estimates import pair_sums

Array = np.ndarray
ScoreSums = RatioSums | PairSums | str
"""The sums of a score over all audited texts or over pairs of them, or why there are none."""


def score_sums(evidence: Evidence, claim: AuditTest) -> dict[str, ScoreSums]:
    """Give the sums of every way to ask a test, by its name; every model has the same names."""
    return _SUMS[claim.kind](evidence, claim)


def _against_floors(evidence: Evidence, claim: AuditTest) -> dict[str, ScoreSums]:
    return {
        words: missing(evidence, names) or evidence.sums(names)
        for words, names in named_score_quantities(claim).items()
    }


def _of_pairs(evidence: Evidence, claim: AuditTest) -> dict[str, ScoreSums]:
    measured, found = evidence.measurement(claim.measure), dict[str, ScoreSums]()
    for words, names in named_score_quantities(claim).items():
        if measured is None:
            found[words] = evidence.why_not(claim.number)
        else:
            name = names.number.partition(".")[2]
            found[words] = (
                missing(evidence, names) or pair_sums(measured, name, evidence.rows(""))[2]
            )
    return found


def _share(evidence: Evidence, claim: AuditTest) -> dict[str, ScoreSums]:
    if not evidence.has(claim.number):
        return {claim.number_words: evidence.why_not(claim.number)}
    values = share_of(evidence, claim)
    classes = evidence.predicted if claim.kind == "share" else None  # as `scoring_rules` judges it
    return {claim.number_words: RatioSums(values, np.ones_like(values), classes)}


def _drops(evidence: Evidence, claim: AuditTest) -> dict[str, ScoreSums]:
    """Compare the accuracy lost, which is a mean over texts; F1 is not."""
    found: dict[str, ScoreSums] = {}
    for drop in {
        DROPS[one.name].comparison: DROPS[one.name]
        for one in claim.quantities()
        if one.name in DROPS
    }.values():
        known = evidence.has(f"{drop.measure}.{drop.comparison}")
        found[WORDS[drop.comparison]] = (
            _mean(np.where(evidence.finite, losses_of_drop(evidence, drop.comparison), np.nan))
            if known
            else evidence.why_not(f"{drop.measure}.{drop.comparison}")
        )
    return found


def _mean(values: Array) -> RatioSums:
    return RatioSums(values, np.ones_like(values))


_SUMS: Mapping[Kind, Callable[[Evidence, AuditTest], dict[str, ScoreSums]]] = {
    "contrast": _against_floors,
    "by rank": _against_floors,
    "two operators": _against_floors,
    "pairs": _of_pairs,
    "share without": _share,
    "share": _share,
    "weakest drop": _drops,
}
