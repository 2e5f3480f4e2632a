"""Compare audits: the verdict of each, and the differences of their scores on shared texts.

Each audit is compared with the first. Texts are matched by id, words and query. If two audits share
no text, nothing is paired, and each keeps its own intervals.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
from jaxtyping import Int

from sightline.core.errors import SpecError
from sightline.core.results import Estimate, Results
from sightline.stats import bootstrap
from sightline.stats.contrasts import holm
from sightline.stats.dyads import PairSums
from sightline.stats.intervals import LEVEL, LOG_2, clip_interval, known_rows
from sightline.stats.paired_differences import ScoreDifference, between_pairs, score_difference
from sightline.stats.ratios import RatioSums
from sightline.verdict.catalogue import AUDIT_TESTS
from sightline.verdict.comparison.comparison_result import (
    AuditPair,
    ComparedScore,
    SharedTexts,
    Side,
    SideBySide,
)
from sightline.verdict.comparison.shared_texts import MatchedTexts, attention_apart, match
from sightline.verdict.effect_sums import ScoreSums, score_sums
from sightline.verdict.evidence import ScoreQuantities, named_score_quantities
from sightline.verdict.number_bounds import ends_of
from sightline.verdict.thresholds import default_thresholds
from sightline.verdict.transfer_estimates import CUT, CUT_AT_ONE, at_most_one

ACCURACY = "accuracy"
RIGHT = "the share of right answers"
_LETTERS = 26
MOVED = "transplant"
"""The measure that copies words of a text into partners, drawn from all texts of an audit."""
OTHER_PARTNERS = "a difference can come from other partners"
"""Marks scores whose audits drew their partners from texts that differ."""


def compared(audits: Sequence[Results], places: Sequence[str] = ()) -> SideBySide:
    """Compare each audit with the first; fewer than two, or the same one twice, are an error.

    The audits are named A, B and so on; ``places`` says where each was read from.
    """
    if len(audits) < 2:
        raise SpecError(f"expected two audits or more to compare, got {len(audits)}")
    if len({id(audit) for audit in audits}) < len(audits):
        raise SpecError(
            "expected different audits, got the same one twice: name another, or audit with "
            "another seed"
        )
    named_places = places or [""] * len(audits)
    if len(named_places) != len(audits):
        message = f"expected a place for each of {len(audits)} audits, got {len(named_places)}"
        raise SpecError(message, field="places")
    sides = tuple(
        Side(_letter(i), audit, place)
        for i, (audit, place) in enumerate(zip(audits, named_places, strict=True))
    )
    pairs = [
        (other, match(sides[0].audit, other.audit, sides[0].labels, other.labels))
        for other in sides[1:]
    ]
    asked = [[*_asked(sides[0], other, matched)] for other, matched in pairs]
    count = sum(isinstance(sums, tuple) for each in asked for _, _, _, sums in each)
    found = [
        _pair(sides[0], other, matched, each, count)
        for (other, matched), each in zip(pairs, asked, strict=True)
    ]
    return SideBySide(sides, *_adjusted(found))


def _letter(at: int) -> str:
    return chr(ord("A") + at) if at < _LETTERS else f"A{at}"


PairedSums = tuple[RatioSums, RatioSums] | tuple[PairSums, PairSums] | str
ComparedTest = tuple[str, str, str, PairedSums]
"""Code, words and way of a comparison, and its sums in both audits, or why there are none."""


def _asked(first: Side, other: Side, matched: MatchedTexts) -> Iterator[ComparedTest]:
    """List the comparisons in a fixed order: all ways to ask each test, then accuracy."""
    if matched.unpaired:
        return
    repeats = set(_repeats())
    for claim in AUDIT_TESTS.values():
        ours, theirs = score_sums(first.evidence, claim), score_sums(other.evidence, claim)
        for way in ours:
            if (claim.code, way) not in repeats:
                yield (
                    claim.code,
                    claim.name,
                    way,
                    _both(ours[way], theirs[way], first, other, matched),
                )
    yield ACCURACY, RIGHT, "", (_right(first, matched.first), _right(other, matched.second))


def _repeats() -> Iterator[tuple[str, str]]:
    """Name the ways to ask a test that an earlier test asks, too: they are compared once."""
    seen: set[ScoreQuantities] = set()
    for claim in AUDIT_TESTS.values():
        for way, names in (named_score_quantities(claim) if claim.baseline else {}).items():
            if names in seen:
                yield claim.code, way
            seen.add(names)


def _both(
    ours: ScoreSums, theirs: ScoreSums, first: Side, other: Side, matched: MatchedTexts
) -> PairedSums:
    if isinstance(ours, str) and ours == theirs:
        return f"measured in neither: {ours}"
    for side, way in ((first, ours), (other, theirs)):
        if isinstance(way, str):
            return f"not measured in {side.name}: {way}"
    if isinstance(ours, RatioSums) and isinstance(theirs, RatioSums):
        return ours.at(matched.first), theirs.at(matched.second)
    assert isinstance(ours, PairSums)  # both belong to the same test
    assert isinstance(theirs, PairSums)
    return ours.at(matched.first), theirs.at(matched.second)


def _right(side: Side, rows: Int[np.ndarray, " N"]) -> RatioSums:
    texts = [side.audit.texts[row] for row in rows]
    right = np.array([text.label == text.predicted for text in texts], dtype=float)
    return RatioSums(right, np.ones_like(right))


def _pair(
    first: Side, other: Side, matched: MatchedTexts, asked: Sequence[ComparedTest], count: int
) -> AuditPair:
    numbers = len(matched.first), matched.alone
    if matched.unpaired:
        return AuditPair(
            *numbers, tuple(_side_by_side(first, other, matched.unpaired)), matched.unpaired
        )
    clusters = _clusters(first, other, matched)
    claims = tuple(_compared(one, first.seed, clusters, count) for one in asked)
    if any(matched.alone):
        claims = tuple(map(_with_other_partners, claims))
    texts = [
        [side.audit.texts[row] for row in rows]
        for side, rows in ((first, matched.first), (other, matched.second))
    ]
    otherwise = np.array([a.predicted != b.predicted for a, b in zip(*texts, strict=True)])
    apart, notes = attention_apart(first.audit, other.audit, matched)
    said = (*_partners(claims, first, other), *_cut(claims), *_stopped_early(first, other))
    return AuditPair(
        *numbers, claims, "", (*matched.notes, *notes, *said),
        bootstrap.proportion(otherwise.astype(float), clusters=clusters),
        bootstrap.mean(apart, first.seed, LOG_2, clusters=clusters),
        SharedTexts(matched.first, matched.second, otherwise, apart),
    )  # fmt: skip


def _clusters(first: Side, other: Side, matched: MatchedTexts) -> Int[np.ndarray, " N"]:
    """Take the clusters of the audit that groups more texts."""
    known = [
        side.evidence.clusters[rows]
        for side, rows in ((first, matched.first), (other, matched.second))
    ]
    return np.unique(min(known, key=lambda one: len(np.unique(one))), return_inverse=True)[1]


def _side_by_side(first: Side, other: Side, why: str) -> Iterator[ComparedScore]:
    """Give the score of each audit on its own texts."""
    theirs = other.audit.by_test
    for finding in first.audit.findings:
        second = theirs[finding.code].score if finding.code in theirs else None
        yield ComparedScore(
            finding.code, finding.name, "", "not compared", finding.score, second, why=why
        )


def _compared(
    asked: ComparedTest, seed: int, clusters: Int[np.ndarray, " N"], count: int
) -> ComparedScore:
    code, text, way, sums = asked
    if isinstance(sums, str):
        return ComparedScore(code, text, way, "not compared", why=sums)
    found = _between(sums, seed, clusters, count)
    if code == ACCURACY or AUDIT_TESTS[code].kind == "share without":
        found = _with_counted_shares(found, sums, clusters)
    elif AUDIT_TESTS[code].number.partition(".")[2].startswith(CUT_AT_ONE):
        found = replace(found, first=at_most_one(found.first), second=at_most_one(found.second))
    else:
        found = replace(found, first=_within(found.first, code), second=_within(found.second, code))
    n = min(found.difference.n, len(np.unique(clusters)))
    fewest = default_thresholds().fewest(code)
    known = found.p is not None and n >= fewest
    alone = "" if n == found.difference.n else "independent "
    few = f"on {n} {alone}texts; a comparison rests on at least {fewest}"
    why = "" if known else found.difference.method if found.p is None else few
    return ComparedScore(
        code, text, way, "not told apart" if known else "not compared",
        found.first, found.second, found.difference, found.p if known else None,
        p_at_most=known and found.at_most, why=why,
    )  # fmt: skip


def _with_other_partners(one: ComparedScore) -> ComparedScore:
    """Mark a score that also depends on texts that only one of the audits has."""
    moved = one.code in AUDIT_TESTS and AUDIT_TESTS[one.code].measure == MOVED
    return replace(one, why=OTHER_PARTNERS) if moved and one.p is not None else one


def _partners(compared: Sequence[ComparedScore], first: Side, other: Side) -> Iterator[str]:
    """Say which scores depend on texts that are not compared."""
    marked = dict.fromkeys(one.code for one in compared if one.why == OTHER_PARTNERS)
    if marked:
        yield (
            f"{', '.join(marked)}: {first.name} and {other.name} drew the partners of a text, into "
            "which words are copied, from all texts of their own; as these are not the same texts, "
            "a difference can come from other partners; audit the same texts to rule that out"
        )


def _cut(compared: Sequence[ComparedScore]) -> Iterator[str]:
    """Say which differences are not those of the scores that are shown, because these end at 1."""
    cut = [
        one.code
        for one in compared
        if one.difference is not None
        and any(score and score.method.endswith(CUT) for score in (one.first, one.second))
    ]
    if cut:
        yield (
            f"the scores of {', '.join(cut)} end at 1, and were measured above it here; the "
            "difference is between the measured scores"
        )


def _stopped_early(*sides: Side) -> Iterator[str]:
    """Name the audits that stopped once their verdict was settled: the scores seen so far decided
    how many texts they have, and p-values take that number as fixed.
    """
    early = [side.name for side in sides if _planned(side) > len(side.audit.texts)]
    if early:
        yield (
            f"{' and '.join(early)} stopped early, once the verdict was settled; p-values take the "
            "number of texts as fixed, so a test at 5 % finds a difference that is not there in up "
            "to 9 % of cases; audit with --full to compare"
        )


def _planned(side: Side) -> int:
    """Count the texts that an audit in looks would have measured; 0 for any other audit."""
    about = side.audit.spec.get("sequential")
    return int(about.get("planned", 0)) if isinstance(about, Mapping) else 0


def _within(score: Estimate, code: str) -> Estimate:
    """Cut an interval where the numbers of its test end."""
    if math.isnan(score.low):
        return score
    low, high = clip_interval(score.value, score.low, score.high, ends_of(code))
    return replace(score, low=low, high=high)


def _with_counted_shares(
    found: ScoreDifference,
    sums: tuple[RatioSums, RatioSums] | tuple[PairSums, PairSums],
    clusters: Int[np.ndarray, " N"],
) -> ScoreDifference:
    """Give each share of texts the interval that its audit gives it."""
    hits = [one.top for one in sums]
    rows = known_rows(*hits)
    first, second = (bootstrap.proportion(one[rows], clusters[rows]) for one in hits)
    return replace(found, first=first, second=second)


def _between(
    sums: tuple[RatioSums, RatioSums] | tuple[PairSums, PairSums],
    seed: int,
    clusters: Int[np.ndarray, " N"],
    count: int,
) -> ScoreDifference:
    first, second = sums
    if isinstance(first, PairSums) and isinstance(second, PairSums):
        return between_pairs(first, second, clusters)
    assert isinstance(first, RatioSums)  # both belong to the same test
    assert isinstance(second, RatioSums)
    return score_difference(first, second, seed, clusters, count)


def _adjusted(found: Sequence[AuditPair]) -> tuple[tuple[AuditPair, ...], int]:
    """Adjust all p-values together and count them; a difference counts only after adjustment."""
    p = {
        f"{i} {j}": one.p
        for i, each in enumerate(found)
        for j, one in enumerate(each.claims)
        if one.p is not None
    }
    adjusted = holm(p)

    def with_adjusted(one: ComparedScore, adjusted: float | None) -> ComparedScore:
        surely = adjusted is not None and adjusted < 1 - LEVEL
        return replace(one, p_adjusted=adjusted, answer="different" if surely else one.answer)

    claims = [
        tuple(with_adjusted(one, adjusted.get(f"{i} {j}")) for j, one in enumerate(each.claims))
        for i, each in enumerate(found)
    ]
    return tuple(
        replace(each, claims=tests) for each, tests in zip(found, claims, strict=True)
    ), len(p)
