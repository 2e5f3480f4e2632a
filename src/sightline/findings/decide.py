"""One rule for every finding: an interval of the effect against the smallest effect that matters."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping

from sightline.results import Answer, Estimate

_RANK: tuple[Answer, ...] = ("not run", "failed", "inconclusive", "passed")
WORSE = "worse than chance"
"""What an effect means whose whole interval lies below 0, its floor."""


def decide(effect: Estimate, delta: float, fewest: int = 1) -> Answer:
    """Support a claim whose whole interval lies above δ, contradict one whose whole interval lies below.

    Too little data is never a contradiction: a wide interval holds δ and stays inconclusive, and so does an effect on
    fewer texts than a finding may rest on. An interval that is not known compares with nothing.
    """
    if effect.n == 0 or math.isnan(effect.value):
        return "not run"
    if effect.n < fewest:
        return "inconclusive"
    if effect.low > delta:
        return "passed"
    return "failed" if effect.high < delta else "inconclusive"


def agreed(answers: Collection[Answer]) -> Answer:
    """Join the answers of several ways to ask one question: contradicted by all, or supported and contradicted by none.

    Ways that could not be asked say nothing.
    """
    known = [answer for answer in answers if answer != "not run"]
    if not known:
        return "not run"
    if all(answer == "failed" for answer in known):
        return "failed"
    return "passed" if "passed" in known and "failed" not in known else "inconclusive"


def both(answers: Collection[Answer]) -> Answer:
    """Join the answers of ways that must say the same; what one of them leaves open stays open."""
    known = {answer for answer in answers if answer != "not run"}
    return known.pop() if len(known) == 1 else "inconclusive" if known else "not run"


def weakest(answers: Mapping[str, Answer], effects: Mapping[str, Estimate]) -> str:
    """Name the comparison that decides a claim which must hold in all of them.

    It has the weakest answer and, among equal answers, the smallest effect. An effect whose whole
    interval lies below chance comes before one that may be chance: the verdict table treats the
    two differently. Undefined effects decide nothing.
    """

    def strength(name: str) -> tuple[int, bool, float]:
        effect = effects[name]
        return _RANK.index(answers[name]), not below_chance(effect), effect.value

    return min(_defined(answers), key=strength)


def strongest(answers: Mapping[str, Answer], effects: Mapping[str, Estimate]) -> str:
    """Name the comparison that decides a claim for which one is enough.

    It has the strongest answer and, among equal answers, the largest effect.
    """
    return max(_defined(answers), key=lambda name: (_RANK.index(answers[name]), effects[name].value))


def _defined(answers: Mapping[str, Answer]) -> list[str]:
    """Name the comparisons that have an answer; the first one where none has."""
    known = [name for name, answer in answers.items() if answer != "not run"]
    return known or [*answers][:1]


def below_chance(effect: Estimate) -> bool:
    """Tell whether the whole interval of an effect lies below its floor."""
    return effect.high < 0


def explain(effect: Estimate, delta: float, fewest: int = 1, worse: str = WORSE) -> str:
    """Say how the interval lies against δ; ``worse`` says what an interval below 0 means."""
    if math.isnan(effect.value):
        return effect.method  # why it is undefined
    told = f"effect {effect.value:z.3f} [{effect.low:z.3f}, {effect.high:z.3f}], n = {effect.n}"
    if effect.n < fewest:
        return f"{told}; fewer than the {fewest} texts that this finding rests on: more texts would settle it"
    if math.isnan(effect.low) or math.isnan(effect.high):
        return f"effect {effect.value:z.3f}, n = {effect.n}; no interval is known ({effect.method})"
    answer = decide(effect, delta, fewest)
    if answer == "passed":
        return f"{told}; the whole interval lies above δ = {delta:g}"
    if answer == "inconclusive":
        return f"{told}; the interval holds δ = {delta:g}: more texts would settle it"
    if below_chance(effect):
        return f"{told}; the whole interval lies below 0: {worse}"
    return f"{told}; the whole interval lies below δ = {delta:g}: too small to matter"


def disagreement(answers: Mapping[str, Answer], by_class: Mapping[str, Estimate]) -> str:
    """Say where predicted classes answer differently; empty where they do not."""
    if "passed" not in answers.values() or "failed" not in answers.values():
        return ""
    said = ", ".join(f"{answer} for predicted {name!r} (n = {by_class[name].n})" for name, answer in answers.items())
    return f"the classes disagree: {said}"
