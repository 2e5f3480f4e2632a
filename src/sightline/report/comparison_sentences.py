"""A comparison of audits in sentences, for the page and the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from sightline.report.advice import first_of_all
from sightline.report.alternative_maps import families
from sightline.report.attention_source_notes import source_of
from sightline.report.number_format import count, interval, p_value, with_n
from sightline.report.provenance import without_folders
from sightline.report.sentences import headline
from sightline.verdict.comparison.comparison_result import (
    AuditPair,
    ComparedScore,
    Side,
    SideBySide,
)

QUESTION = "How do these audits differ?"
MOST_APART = "at most 0.693, where they share no word"


def method(whole: SideBySide) -> str:
    """Say how differences are computed, and when two scores count as different."""
    first = whole.sides[0].name
    return (
        f"A difference is an audit’s score minus the score of {first}, paired over the texts that "
        "both have. Its 95 % interval is for this difference alone. “Different” means different "
        f"after adjustment for all {count(whole.comparisons)} comparisons made here (p "
        "adjusted by Holm, below 0.05; ≤ if no resample reached 0, so that p may be smaller). It "
        "means that the scores differ, not that they differ much."
    )


def side_title(side: Side) -> str:
    """Say what was audited, in one line."""
    about = side.about
    seed = "" if about["seed"] is None else f"seed {about['seed']}"
    texts = f"{count(about['texts'])} {'text' if about['texts'] == 1 else 'texts'}"
    return " · ".join(
        filter(
            None,
            (
                side.place,
                about["model"],
                source_of(side.audit),
                without_folders(str(about["data"] or "")),
                seed,
                texts,
            ),
        )
    )


def verdict(side: Side) -> str:
    """Give the headline of an audit."""
    return headline(side.audit.verdict)


def maps(side: Side) -> list[str]:
    """Name the map of each family that may be shown, or say what has to be fixed first."""
    if first := first_of_all(side.audit):
        return [first]
    return [
        f"{family.title}: {family.answer}"
        for family in families(side.audit.maps, side.audit.verdict)
    ]


def metrics(side: Side) -> list[str]:
    """Give the metrics of the model on the texts of its audit."""
    return [f"{name} {with_n(value)}" for name, value in side.audit.metrics.items()]


def differences(whole: SideBySide, at: int) -> str:
    """Say what differs between one audit and the first."""
    first, other, one = whole.sides[0].name, whole.sides[at + 1].name, whole.pairs[at]
    if one.unpaired:
        return (
            f"{first} and {other} cannot be compared text by text: {one.unpaired}. Their own "
            "intervals stand below."
        )
    apart = [name_of(claim, one) for claim in one.claims if claim.answer == "different"]
    compared = sum(claim.p is not None for claim in one.claims)
    if not compared:
        return f"No score of {first} and {other} could be compared."
    if not apart:
        return (
            f"No score is surely different between {first} and {other} "
            f"({count(compared)} compared)."
        )
    return (
        f"{other} differs from {first} in {count(len(apart))} of {count(compared)} scores: "
        f"{', '.join(apart)}."
    )


def text_counts(whole: SideBySide, at: int) -> list[str]:
    """Say which texts were compared, and how often predictions and attention differ."""
    first, other, one = whole.sides[0].name, whole.sides[at + 1].name, whole.pairs[at]
    if one.unpaired:
        return []
    lines = [f"{count(one.common)} {'text is' if one.common == 1 else 'texts are'} in both."]
    if any(one.alone):
        left = (
            f"{count(one.alone[0])} of {first} and {count(one.alone[1])} of {other} are not, and "
            "are left out"
        )
        lines = [f"{lines[0]} {left}: all numbers below are of the texts in both."]
    if one.decided is not None:
        lines.append(f"Share with different predictions: {with_n(one.decided)}.")
    if one.attention is not None and one.attention.n:
        divergence = f"mean Jensen-Shannon divergence of the two attentions ({MOST_APART})"
        lines.append(f"Distance between the attentions, {divergence}: {with_n(one.attention)}.")
    return [*lines, *(f"{note}." for note in one.notes)]


def name_of(claim: ComparedScore, one: AuditPair) -> str:
    """Name what was compared, with the way of asking if a test has several."""
    return f"{claim.code} ({way})" if (way := way_of(claim, one)) else claim.code


def way_of(claim: ComparedScore, one: AuditPair) -> str:
    """Name the way of asking, if a test has several."""
    several = sum(other.code == claim.code for other in one.claims) > 1
    return claim.way[:1].lower() + claim.way[1:] if several else ""


def words_of(claim: ComparedScore, one: AuditPair) -> str:
    """Name the test, with the way of asking if there are several."""
    return f"{claim.claim} ({way})" if (way := way_of(claim, one)) else claim.claim


def cells(claim: ComparedScore) -> Sequence[str]:
    """Write both scores and their difference, unless too few texts were compared for one."""
    between = None if claim.p is None else claim.difference
    first, second, difference = (
        "—" if one is None else interval(one) for one in (claim.first, claim.second, between)
    )
    return first, second, difference


def p_of(claim: ComparedScore) -> str:
    """Write the p-value that is adjusted for all comparisons."""
    if claim.p_adjusted is None:
        return "—"
    return p_value(claim.p_adjusted, at_most=claim.p_at_most)


def texts_of(claim: ComparedScore) -> str:
    """Count the texts behind a row; both counts if nothing is paired."""
    if claim.difference is not None:
        return count(claim.difference.n)
    counts = ["—" if one is None else count(one.n) for one in (claim.first, claim.second)]
    return " / ".join(counts) if set(counts) != {"—"} else "—"
