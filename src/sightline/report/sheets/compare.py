"""A comparison of audits as a few plain lines, for the terminal."""

from __future__ import annotations

from sightline.findings.comparison import Beside, Compared, SideBySide
from sightline.report import comparing
from sightline.report.numerals import p_value
from sightline.report.sheets.columns import aligned


def comparison_lines(whole: SideBySide) -> list[str]:
    """Give what was found, each audit by itself, then the scores of each beside those of the first."""
    told = [comparing.found(whole, at) for at in range(len(whole.beside))]
    told += [comparing.how(whole)] if whole.comparisons else []
    for side in whole.sides:
        told += ["", f"{side.name}: {comparing.named(side)}", f"  verdict: {comparing.verdict(side)}"]
        told += [f"  {one}" for one in (*comparing.maps(side), *comparing.metrics(side))]
    for at, one in enumerate(whole.beside):
        first, other = whole.sides[0].name, whole.sides[at + 1].name
        head = ("score", first, other, f"{other} − {first}", "n", "p, adjusted", "answer", "")
        told += ["", f"{other} beside {first}:", *comparing.counted(whole, at)]
        told += aligned([head, *(_cells(claim, one) for claim in one.claims)])
    return told


def _cells(claim: Compared, one: Beside) -> tuple[str, ...]:
    p = "—" if claim.p_adjusted is None else p_value(claim.p_adjusted)
    words = comparing.words_of(claim, one)
    why = words if one.unpaired or not claim.why else f"{words}: {claim.why}"
    return claim.code, *comparing.cells(claim), comparing.texts_of(claim), p, claim.answer, why
