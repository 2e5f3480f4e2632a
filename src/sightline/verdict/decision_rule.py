"""One rule for every finding: an interval of the score against the threshold."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping

from sightline.core.results import Answer, Estimate

_RANK: tuple[Answer, ...] = ("not run", "failed", "inconclusive", "passed")
WORSE = "worse than chance"
"""What a score means whose whole interval lies below 0, its chance level."""


def decide(score: Estimate, threshold: float, fewest: int = 1) -> Answer:
    """A test passes where the whole interval lies above the threshold, and fails where it lies
    below.

    Too little data is never a failure: a wide interval contains the threshold and stays
    inconclusive, and so does a score of fewer texts than a test may rest on. An interval that is
    not known compares with nothing.
    """
    if score.n == 0 or math.isnan(score.value):
        return "not run"
    if score.n < fewest:
        return "inconclusive"
    if score.low > threshold:
        return "passed"
    return "failed" if score.high < threshold else "inconclusive"


def agreed(answers: Collection[Answer]) -> Answer:
    """Join the answers of several ways to ask one question: failed by all, or passed by one and
    failed by none.

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

    It has the weakest answer and, among equal answers, the smallest score. A score whose whole
    interval lies below chance comes before one that may be chance: the verdict table treats the
    two differently. Undefined scores decide nothing.
    """

    def strength(name: str) -> tuple[int, bool, float]:
        score = effects[name]
        return _RANK.index(answers[name]), not below_chance(score), score.value

    return min(_defined(answers), key=strength)


def strongest(answers: Mapping[str, Answer], effects: Mapping[str, Estimate]) -> str:
    """Name the comparison that decides a claim for which one is enough.

    It has the strongest answer and, among equal answers, the largest score.
    """
    return max(
        _defined(answers), key=lambda name: (_RANK.index(answers[name]), effects[name].value)
    )


def _defined(answers: Mapping[str, Answer]) -> list[str]:
    """Name the comparisons that have an answer; the first one where none has."""
    known = [name for name, answer in answers.items() if answer != "not run"]
    return known or [*answers][:1]


def below_chance(score: Estimate) -> bool:
    """Tell whether the whole interval of a score lies below its chance level."""
    return score.high < 0


def explain(score: Estimate, threshold: float, fewest: int = 1, worse: str = WORSE) -> str:
    """Say how the interval lies against the threshold; ``worse`` says what an interval below 0
    means.
    """
    if math.isnan(score.value):
        return score.method  # why it is undefined
    text = f"score {score.value:z.3f} [{score.low:z.3f}, {score.high:z.3f}], n = {score.n}"
    if score.n < fewest:
        return (
            f"{text}; fewer than the {fewest} texts that this test needs: more texts would settle "
            "it"
        )
    if math.isnan(score.low) or math.isnan(score.high):
        return f"score {score.value:z.3f}, n = {score.n}; no interval is known ({score.method})"
    answer = decide(score, threshold, fewest)
    if answer == "passed":
        return f"{text}; the whole interval lies above the threshold, {threshold:g}"
    if answer == "inconclusive":
        return (
            f"{text}; the interval contains the threshold, {threshold:g}: more texts would settle "
            "it"
        )
    if below_chance(score):
        return f"{text}; the whole interval lies below 0: {worse}"
    return f"{text}; the whole interval lies below the threshold, {threshold:g}"


def disagreement(answers: Mapping[str, Answer], by_class: Mapping[str, Estimate]) -> str:
    """Say where predicted classes answer differently; empty where they do not."""
    if "passed" not in answers.values() or "failed" not in answers.values():
        return ""
    said = ", ".join(
        f"{answer} for predicted {name!r} (n = {by_class[name].n})"
        for name, answer in answers.items()
    )
    return f"the classes disagree: {said}"
