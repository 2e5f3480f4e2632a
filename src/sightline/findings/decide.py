"""One rule for every finding: an interval of the effect against the smallest effect that matters."""

from __future__ import annotations

from collections.abc import Mapping

from sightline.results import Answer, Estimate

_RANK: tuple[Answer, ...] = ("contradicted", "inconclusive", "supported")


def decide(effect: Estimate, delta: float) -> Answer:
    """Support a claim whose whole interval lies above δ, contradict one whose whole interval lies below.

    Too little data is never a contradiction: a wide interval holds δ and stays inconclusive.
    """
    if effect.n == 0:
        return "not applicable"
    if effect.low > delta:
        return "supported"
    return "contradicted" if effect.high < delta else "inconclusive"


def weakest(answers: Mapping[str, Answer]) -> str:
    """Name the weakest of several tests that a claim must all pass (the first among equals)."""
    return min(answers, key=lambda name: _RANK.index(answers[name]))


def strongest(answers: Mapping[str, Answer]) -> str:
    """Name the strongest of several tests of which one is enough (the first among equals)."""
    return max(answers, key=lambda name: _RANK.index(answers[name]))


def explain(answer: Answer, effect: Estimate, delta: float) -> str:
    """Say in words how the interval lies against δ."""
    where = {
        "supported": f"the whole interval lies above δ = {delta:g}",
        "contradicted": f"the whole interval lies below δ = {delta:g}: too small to matter",
        "inconclusive": f"the interval holds δ = {delta:g}: more texts would settle it",
        "not applicable": "undefined for every text",
    }[answer]
    return f"effect {effect.value:.3f} [{effect.low:.3f}, {effect.high:.3f}], n = {effect.n}; {where}"


def disagreement(by_class: Mapping[str, Estimate], delta: float) -> str:
    """Say where predicted classes answer differently; empty where they do not."""
    answers = {name: decide(effect, delta) for name, effect in by_class.items() if effect.n}
    if "supported" not in answers.values() or "contradicted" not in answers.values():
        return ""
    said = ", ".join(f"{answer} for predicted {name!r} (n = {by_class[name].n})" for name, answer in answers.items())
    return f"the classes disagree: {said}"
