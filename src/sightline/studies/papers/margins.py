"""Margins for the comparison with printed numbers, fixed before the protocol's runs.

*within*: our interval over seeds lies inside the margin on both sides of the printed number.
*outside*: it lies wholly beyond. *undetermined*: neither, or there is only one seed, or all seeds
agree to the digit. A wide interval is never within, so noise does not count as agreement (decision
0105).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

from sightline.core.results import Estimate
from sightline.studies.papers.published_values import PrintedValue
from sightline.studies.study_corpora import QUESTIONS

Result = Literal["within", "outside", "undetermined"]
RESULTS: tuple[Result, ...] = get_args(Result)
WITHIN, OUTSIDE, UNDETERMINED = RESULTS
TAU, TAU_OF_QUESTIONS = 0.10, 0.20
"""A convention, of the size of the differences between the later run of Jain & Wallace 2019 and
their paper (`apart_from_themselves`): for classification, and for questions and inference."""
FIXED = (
    (("τ", "significant with", "share of models"), TAU),
    (("F1 lost",), 0.05),
    (("F1", "accuracy"), 0.03),
    (("JSD", "ε-max JSD", "evenness", "probability by one word"), 0.05),
    (("TVD",), 0.01),
    (("counted information",), 0.3),
)
"""Margins by the beginning of a quantity; the first match holds. Shares and probabilities have the
margin of the most similar quantity."""
ON_QUESTIONS = (*QUESTIONS, "questions", "inference")
COUNT = 0.01
"""For counts of a corpus, as a share of the printed count; at least half a step of its
last digit."""
ROUNDING = 1e-9
"""Rounding allowance: an end that lies on the margin is within it."""
COUNTS = ("words of", "training texts", "test texts")


@dataclass(frozen=True)
class Comparison:
    """How our number compares with one printed number."""

    result: Result
    margin: float
    apart: float


def margin_of(printed: PrintedValue) -> float | None:
    """Return the margin of a printed number; None if none was fixed."""
    if printed.quantity.startswith(COUNTS):
        return max(COUNT * abs(printed.value), printed.step / 2)
    return margin_for(printed.quantity, printed.corpus)


def margin_for(quantity: str, corpus: str) -> float | None:
    """Return the margin of a quantity of models; None if none was fixed."""
    found = next((margin for names, margin in FIXED if quantity.startswith(names)), None)
    return TAU_OF_QUESTIONS if found == TAU and corpus in ON_QUESTIONS else found


def compare_to(printed: PrintedValue, ours: Estimate, seeds: int) -> Comparison | None:
    """Compare our number over some seeds with a printed one; 0 seeds mean a count."""
    margin = margin_of(printed)
    if margin is None or math.isnan(ours.value):
        return None
    apart = ours.value - printed.value
    return Comparison(result_of(printed.value, margin, ours, seeds), margin, apart)


def result_of(value: float, margin: float, ours: Estimate, seeds: int) -> Result:
    """Compare an interval with a printed value and its margin; 0 seeds mean a count, which is exact."""
    if seeds == 1 or (seeds > 1 and math.isnan(ours.low)):
        return UNDETERMINED
    low, high = (ours.low, ours.high) if seeds else (ours.value, ours.value)
    margin += ROUNDING
    if value - margin <= low and high <= value + margin:
        return WITHIN
    if high < value - margin or value + margin < low:
        return OUTSIDE
    return UNDETERMINED


def apart_from_themselves(
    printed: Iterable[PrintedValue], later: Iterable[PrintedValue]
) -> dict[tuple[str, bool], list[float]]:
    """List the differences between a later run of the authors and their paper, by quantity, and by
    whether it is on questions or inference.
    """
    theirs = {(one.table, *one.of): one for one in printed}
    found = dict[tuple[str, bool], list[float]]()
    for one in later:
        if (paper := theirs.get((one.table, *one.of))) is not None:
            of = kind_of(one.quantity), one.corpus in ON_QUESTIONS
            found.setdefault(of, []).append(abs(one.value - paper.value))
    return found


def kind_of(quantity: str) -> str:
    """Return the beginning of a quantity that determines its margin; empty if none fits."""
    return next((name for names, _ in FIXED for name in names if quantity.startswith(name)), "")
