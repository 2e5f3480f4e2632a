"""A comparison of audits on the terminal."""

from __future__ import annotations

from sightline.report import comparison_sentences
from sightline.report.column_layout import aligned
from sightline.verdict.comparison.comparison_result import AuditPair, ComparedScore, SideBySide


def comparison_lines(whole: SideBySide) -> list[str]:
    """Give the result, each audit by itself, then the scores of each audit and of the first."""
    lines = [comparison_sentences.differences(whole, at) for at in range(len(whole.pairs))]
    lines += [comparison_sentences.method(whole)] if whole.comparisons else []
    for side in whole.sides:
        lines += [
            "",
            f"{side.name}: {comparison_sentences.side_title(side)}",
            f"  verdict: {comparison_sentences.verdict(side)}",
        ]
        lines += [
            f"  {one}"
            for one in (*comparison_sentences.maps(side), *comparison_sentences.metrics(side))
        ]
    for at, one in enumerate(whole.pairs):
        first, other = whole.sides[0].name, whole.sides[at + 1].name
        head = ("score", first, other, f"{other} − {first}", "n", "p, adjusted", "answer", "")
        lines += [
            "",
            f"{other} compared with {first}:",
            *comparison_sentences.text_counts(whole, at),
        ]
        lines += aligned([head, *(_cells(claim, one) for claim in one.claims)])
    return lines


def _cells(claim: ComparedScore, one: AuditPair) -> tuple[str, ...]:
    p = comparison_sentences.p_of(claim)
    words = comparison_sentences.words_of(claim, one)
    why = words if one.unpaired or not claim.why else f"{words}: {claim.why}"
    return (
        claim.code,
        *comparison_sentences.cells(claim),
        comparison_sentences.texts_of(claim),
        p,
        claim.answer,
        why,
    )
