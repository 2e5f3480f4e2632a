"""The findings and the verdict in plain sentences."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Literal

from sightline.findings.decide import explain
from sightline.report.numerals import p_value, span, threshold, with_n
from sightline.results import Estimate, Finding

Side = Literal["above δ", "below δ", "holds δ", "undefined"]

QUESTION = "Can this model’s attention weights be shown as an explanation of its decisions?"

# What the number of each finding is, and what its floor is: subjects for "… is 0.66".
_PHRASES: Mapping[str, tuple[str, str]] = {
    "SL-001": ("What the model loses (accuracy or F1) without its learned choice of words", "No loss"),
    "SL-101": (
        "The share of the gradient’s importance that the most attended words capture",
        "The share captured after permuting the weights after the fact",
    ),
    "SL-102": (
        "The share of the deletion effect that the most attended words capture",
        "The share captured after permuting the weights after the fact",
    ),
    "SL-103": (
        "The share of one reference’s importance that the top words of the other capture (gradient and deletion)",
        "The share that random words capture",
    ),
    "SL-104": (
        "The share that the most attended words capture of an importance measured without attention",
        "The share that shuffled weights capture",
    ),
    "SL-201": ("The share of texts whose decision another attention could change", "None"),
    "SL-202": (
        "How far permuting the weights moves the output, as a share of the farthest any permutation moves it",
        "The same for random weights that are as uneven",
    ),
    "SL-301": (
        "What removing the attended words from the input takes from the probability of the predicted class",
        "What removing as many random words takes",
    ),
}

_ROWS: Mapping[int, str] = {
    1: "there are too few texts, removal could not be tested, or the adapter failed its proofs",
    2: "removing the attended words does not change the answer (SL-301), or neither the gradient (SL-101) nor "
    "deletion (SL-102) agrees with the attention",
    3: "attention is not needed: the model does as well without choosing (SL-001)",
    4: "SL-001, SL-104, SL-301, SL-402 and at least one of SL-101 and SL-102 are supported, and none of SL-202, "
    "SL-205 and SL-401 is contradicted",
    5: "removing the attended words changes the answer (SL-301), with the caveats listed",
    6: "no other row of the table applies",
}


def row_condition(row: int) -> str:
    """Say when a row of the verdict table applies."""
    return _ROWS.get(row, "this version does not know the row")


def opened(text: str) -> str:
    """Let a text open with a capital."""
    return text[:1].upper() + text[1:]


def null_of(finding: Finding) -> str:
    """Name the floor of a finding, which is also the null its p-value is drawn from."""
    phrase = _PHRASES.get(finding.code, ("", "the floor of this finding"))[1]
    return phrase[:1].lower() + phrase[1:]


def side(effect: Estimate, delta: float) -> Side:
    """Say on which side of δ the whole interval of an effect lies."""
    if math.isnan(effect.low) or math.isnan(effect.high):
        return "undefined"
    return "above δ" if effect.low > delta else "below δ" if effect.high < delta else "holds δ"


def sentences(finding: Finding) -> list[str]:
    """Put the numbers of a finding into sentences: the number, its floor, and the effect beside δ."""
    what, floor = _PHRASES.get(finding.code, ("The number of this finding", "Its floor"))
    said = []
    if finding.number is not None:
        said.append(f"{what}: {with_n(finding.number)}.")
    if finding.floor is not None:
        said.append(f"{floor}: {with_n(finding.floor)}.")
    if finding.effect is not None:
        said.append(f"{_effect(finding, finding.effect)} {_beside_delta(finding.effect, finding.delta)}".strip())
    return said


def reason(finding: Finding) -> str:
    """Give what the reason says beyond the sentences: they already tell how the effect lies beside δ."""
    if finding.effect is None or finding.delta is None:
        return finding.reason
    told = explain(finding.verdict, finding.effect, finding.delta)
    return finding.reason.replace(told, "").strip(" ;:")


def _effect(finding: Finding, effect: Estimate) -> str:
    if finding.floor is None and finding.number == effect:
        return "Its floor is zero, so this is the effect."
    return f"The effect is {with_n(effect)}."


def _beside_delta(effect: Estimate, delta: float | None) -> str:
    if delta is None:
        return ""
    where = side(effect, delta)
    smallest = f"the smallest effect that matters, {threshold(delta)}"
    if where == "undefined":
        return f"It could not be compared with {smallest}."
    if where == "holds δ":
        return f"Its interval holds {smallest}, so it is not known whether it is large enough to matter."
    meaning = "large enough to matter" if where == "above δ" else "shown to be too small to matter"
    return f"Its whole interval lies {where.removesuffix(' δ')} {smallest}: {meaning}."


def chance(finding: Finding) -> str:
    """Give the p-value beside its null and its correction; nothing where there is none."""
    if finding.p is None:
        return ""
    corrected = "" if finding.p_adjusted is None else f" Corrected over this report: {p_value(finding.p_adjusted)}."
    return f"{p_value(finding.p)}. Null: {null_of(finding)}.{corrected}"


def what_would_change(finding: Finding) -> str:
    """Say what other result would have given another answer; nothing where no effect was compared."""
    if finding.effect is None or finding.delta is None:
        return ""
    effect, delta = span(finding.effect.low, finding.effect.high), threshold(finding.delta)
    if finding.verdict == "supported":
        return f"A lower end of the interval {effect} at or below {delta}."
    if finding.verdict == "contradicted":
        return f"An upper end of the interval {effect} at or above {delta}."
    if finding.verdict == "inconclusive" and side(finding.effect, finding.delta) == "holds δ":
        return f"An interval that clears {delta} on one side. More texts narrow it; now it is {effect}."
    return ""
