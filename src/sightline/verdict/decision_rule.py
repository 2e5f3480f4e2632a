"""The decision rule of every test: the interval of the score compared with the threshold."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping

from sightline.core.results import Answer, Estimate
from sightline.stats.sample_size import texts_needed

_RANK: tuple[Answer, ...] = ("not run", "failed", "inconclusive", "passed")
WORSE = "worse than chance"
"""What it means if the whole interval of a score lies below 0, its chance level."""
TAKES_TOO_FEW = "more texts would not settle it: the test takes fewer than that would need"
"""What to say of an open test that never takes as many texts as would settle it."""
WAYS_DISAGREE = "the ways of asking disagree"
"""Why a test is inconclusive although the score it is read from lies off the threshold."""


def decide(score: Estimate, threshold: float, fewest: int = 1) -> Answer:
    """Pass a test if the whole interval lies above the threshold, fail it if the whole interval
    lies below.

    Too little data never fails a test: a wide interval contains the threshold, which is
    inconclusive. So is a score on fewer texts than the test needs. A score without an interval is
    inconclusive, too.
    """
    if score.n == 0 or math.isnan(score.value):
        return "not run"
    if score.n < fewest:
        return "inconclusive"
    if score.low > threshold:
        return "passed"
    return "failed" if score.high < threshold else "inconclusive"


def join_alternatives(answers: Collection[Answer]) -> Answer:
    """Join the results of several ways to ask one question: failed if all fail, passed if one
    passes and none fails.

    Ways that were not run do not count.
    """
    known = [answer for answer in answers if answer != "not run"]
    if not known:
        return "not run"
    if all(answer == "failed" for answer in known):
        return "failed"
    return "passed" if "passed" in known and "failed" not in known else "inconclusive"


def join_must_agree(answers: Collection[Answer]) -> Answer:
    """Join the results of ways that must agree; if they do not, the result is inconclusive."""
    known = {answer for answer in answers if answer != "not run"}
    return known.pop() if len(known) == 1 else "inconclusive" if known else "not run"


def weakest(answers: Mapping[str, Answer], effects: Mapping[str, Estimate]) -> str:
    """Name the comparison that decides a test which must pass in all of them.

    It has the weakest result and, among equal results, the smallest score. A score whose whole
    interval lies below chance comes first, because the verdict table treats it differently.
    Undefined scores decide nothing.
    """

    def strength(name: str) -> tuple[int, bool, float]:
        score = effects[name]
        return _RANK.index(answers[name]), not below_chance(score), score.value

    return min(_defined(answers), key=strength)


def strongest(answers: Mapping[str, Answer], effects: Mapping[str, Estimate]) -> str:
    """Name the comparison that decides a test for which one is enough.

    It has the strongest result and, among equal results, the largest score.
    """
    return max(
        _defined(answers), key=lambda name: (_RANK.index(answers[name]), effects[name].value)
    )


def _defined(answers: Mapping[str, Answer]) -> list[str]:
    """Name the comparisons that have a result; the first one if none has."""
    known = [name for name, answer in answers.items() if answer != "not run"]
    return known or [*answers][:1]


def below_chance(score: Estimate) -> bool:
    """Check whether the whole interval of a score lies below its chance level."""
    return score.high < 0


def written(score: Estimate) -> str:
    """Write a score with its interval and n, or why it is undefined."""
    if math.isnan(score.value):
        return score.method
    return f"score {score.value:z.3f} [{score.low:z.3f}, {score.high:z.3f}], n = {score.n}"


def explain(
    score: Estimate,
    threshold: float,
    fewest: int = 1,
    worse: str = WORSE,
    most: float = math.inf,
) -> str:
    """Compare the interval with the threshold in words; ``worse`` is for an interval below 0, and
    the test never takes more than ``most`` texts.
    """
    text = written(score)
    if math.isnan(score.value):
        return text
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
        more = _of_more_texts(score, texts_needed(score, threshold, fewest), most)
        return f"{text}; the interval contains the threshold, {threshold:g}: {more}"
    if below_chance(score):
        return f"{text}; the whole interval lies below 0: {worse}"
    return f"{text}; the whole interval lies below the threshold, {threshold:g}"


def _of_more_texts(score: Estimate, needed: int | None, most: float) -> str:
    """Say whether more texts would settle a test that needs so many, and takes at most ``most``."""
    if needed is None:
        return f"even many times these {score.n} texts would not settle it"
    return TAKES_TOO_FEW if needed > most else "more texts would settle it"


def disagreement(answers: Mapping[str, Answer], by_class: Mapping[str, Estimate]) -> str:
    """Say which predicted classes have opposite results; empty if none have."""
    if "passed" not in answers.values() or "failed" not in answers.values():
        return ""
    said = ", ".join(
        f"{answer} for predicted {name!r} (n = {by_class[name].n})"
        for name, answer in answers.items()
    )
    return f"the classes disagree: {said}"
