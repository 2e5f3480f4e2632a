"""One rule for every finding: an interval of the effect against the smallest effect that matters."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping

from sightline.results import Answer, Estimate

_RANK: tuple[Answer, ...] = ("contradicted", "inconclusive", "supported")


def decide(effect: Estimate, delta: float, fewest: int = 1) -> Answer:
    """Support a claim whose whole interval lies above δ, contradict one whose whole interval lies below.

    Too little data is never a contradiction: a wide interval holds δ and stays inconclusive, and so does an effect on
    fewer texts than a finding may rest on. An interval that is not known compares with nothing.
    """
    if effect.n == 0 or math.isnan(effect.value):
        return "not applicable"
    if effect.n < fewest:
        return "inconclusive"
    if effect.low > delta:
        return "supported"
    return "contradicted" if effect.high < delta else "inconclusive"


def agreed(answers: Collection[Answer]) -> Answer:
    """Join the answers of several ways to ask one question: contradicted by all, or supported and contradicted by none.

    Ways that could not be asked say nothing.
    """
    known = [answer for answer in answers if answer != "not applicable"]
    if not known:
        return "not applicable"
    if all(answer == "contradicted" for answer in known):
        return "contradicted"
    return "supported" if "supported" in known and "contradicted" not in known else "inconclusive"


def both(answers: Collection[Answer]) -> Answer:
    """Join the answers of ways that must say the same; what one of them leaves open stays open."""
    known = {answer for answer in answers if answer != "not applicable"}
    return known.pop() if len(known) == 1 else "inconclusive" if known else "not applicable"


def weakest(answers: Mapping[str, Answer]) -> str:
    """Name the weakest of several tests that a claim must all pass (the first among equals)."""
    return min(answers, key=lambda name: _RANK.index(answers[name]))


def strongest(answers: Mapping[str, Answer]) -> str:
    """Name the strongest of several tests of which one is enough (the first among equals)."""
    return max(answers, key=lambda name: _RANK.index(answers[name]))


def explain(effect: Estimate, delta: float, fewest: int = 1) -> str:
    """Say in words how the interval lies against δ."""
    told = f"effect {effect.value:z.3f} [{effect.low:z.3f}, {effect.high:z.3f}], n = {effect.n}"
    if 0 < effect.n < fewest:
        return f"{told}; fewer than the {fewest} texts that this finding rests on: more texts would settle it"
    if math.isnan(effect.low) or math.isnan(effect.high):
        return f"effect {effect.value:z.3f}, n = {effect.n}; no interval is known ({effect.method})"
    where = {
        "supported": f"the whole interval lies above δ = {delta:g}",
        "contradicted": f"the whole interval lies below δ = {delta:g}: too small to matter",
        "inconclusive": f"the interval holds δ = {delta:g}: more texts would settle it",
        "not applicable": "undefined for every text",
    }[decide(effect, delta)]
    return f"{told}; {where}"


def disagreement(answers: Mapping[str, Answer], by_class: Mapping[str, Estimate]) -> str:
    """Say where predicted classes answer differently; empty where they do not."""
    if "supported" not in answers.values() or "contradicted" not in answers.values():
        return ""
    said = ", ".join(f"{answer} for predicted {name!r} (n = {by_class[name].n})" for name, answer in answers.items())
    return f"the classes disagree: {said}"
