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
from sightline.verdict.evidence import Evidence, named_threes
from sightline.verdict.scoring_rules import lost_of, missing, share_of
from sightline.verdict.transfer_estimates import pair_sums

Array = np.ndarray
Way = RatioSums | PairSums | str
"""The sums of a score over all audited texts or over pairs of them, or why there are none."""


def ways(evidence: Evidence, claim: AuditTest) -> dict[str, Way]:
    """Give the sums of every way to ask a test, by its name; every model has the same names."""
    return _WAYS[claim.kind](evidence, claim)


def _against_floors(evidence: Evidence, claim: AuditTest) -> dict[str, Way]:
    return {
        words: missing(evidence, three) or evidence.sums(three)
        for words, three in named_threes(claim).items()
    }


def _of_pairs(evidence: Evidence, claim: AuditTest) -> dict[str, Way]:
    taken, found = evidence.taken(claim.measure), dict[str, Way]()
    for words, three in named_threes(claim).items():
        if taken is None:
            found[words] = evidence.why_not(claim.number)
        else:
            name = three[0].partition(".")[2]
            found[words] = missing(evidence, three) or pair_sums(taken, name, evidence.rows(""))[2]
    return found


def _share(evidence: Evidence, claim: AuditTest) -> dict[str, Way]:
    if not evidence.has(claim.number):
        return {claim.number_words: evidence.why_not(claim.number)}
    return {claim.number_words: _mean(share_of(evidence, claim))}


def _drops(evidence: Evidence, claim: AuditTest) -> dict[str, Way]:
    """Compare the accuracy lost, which is a mean over texts; F1 is not."""
    found: dict[str, Way] = {}
    for drop in {
        DROPS[one.name].comparison: DROPS[one.name]
        for one in claim.quantities()
        if one.name in DROPS
    }.values():
        known = evidence.has(f"{drop.measure}.{drop.comparison}")
        found[WORDS[drop.comparison]] = (
            _mean(np.where(evidence.finite, lost_of(evidence, drop.comparison), np.nan))
            if known
            else evidence.why_not(f"{drop.measure}.{drop.comparison}")
        )
    return found


def _mean(values: Array) -> RatioSums:
    return RatioSums(values, np.ones_like(values))


_WAYS: Mapping[Kind, Callable[[Evidence, AuditTest], dict[str, Way]]] = {
    "contrast": _against_floors,
    "by rank": _against_floors,
    "two operators": _against_floors,
    "pairs": _of_pairs,
    "share without": _share,
    "share": _share,
    "weakest drop": _drops,
}
