"""Whether the model has learned anything, in plain sentences: an explanation of guesses explains
nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from sightline.core.results import Estimate, Learned, Reason
from sightline.report.number_format import count, number, plainly, texts
from sightline.report.sentences import quoted
from sightline.verdict.verdict_table import NO_BETTER

QUESTION = "Did it learn anything?"
MOST = 6
"""Classes that are named one by one."""


def learning(learned: Learned, reasons: Sequence[Reason] = ()) -> list[str]:
    """Say whether and how often the model is right, what guessing would reach, how it was trained,
    and on what.

    ``reasons`` are those of the verdict: what they say already is not said again.
    """
    already_said = any(one.words == NO_BETTER for one in reasons)
    said = (
        _answer(learned, already_said),
        _right(learned),
        _converged(learned.converged),
        _cut(learned),
        _classes(learned),
    )
    return [one for one in said if one]


def _answer(learned: Learned, already_said: bool) -> str:
    """Say whether it did."""
    if learned.something:
        also = ", and than chance" if learned.beats_chance else ""
        return f"Yes: it is right more often than the majority class{also}."
    if learned.beats_chance:
        return "A little: it is right more often than by chance" + (
            "." if already_said else ", but not surely more often than the majority class."
        )
    return (
        ""
        if already_said
        else "As far as these texts can tell, the model is no better than guessing."
    )


def _right(learned: Learned) -> str:
    guesses = [f"majority class {_short(learned.guessing, learned.accuracy)}"]
    if learned.chance is not None:
        guesses.append(f"the same predictions at random {_short(learned.chance, learned.accuracy)}")
    return (
        f"Accuracy {plainly(learned.accuracy)}; {'; '.join(guesses)}. Better than the "
        f"majority class by {_short(learned.above, learned.accuracy)}{_than_chance(learned)}."
    )


def _than_chance(learned: Learned) -> str:
    above = learned.above_chance
    return "" if above is None else f", than chance by {_short(above, learned.accuracy)}"


def _short(estimate: Estimate, beside: Estimate) -> str:
    """Leave the texts out where they are those of the number beside it: as a rule they are, and
    counted once.
    """
    description = plainly(estimate)
    return (
        description.removesuffix(f"; {texts(estimate.n)})") + ")"
        if estimate.n == beside.n
        else description
    )


def _converged(converged: bool | None) -> str:
    if converged is None:
        return "Whether its training had converged is not known."
    return (
        "Its training had converged."
        if converged
        else "Its training was cut short before it had converged."
    )


def _cut(learned: Learned) -> str:
    if learned.cut is None:
        return "How many texts were cut is not known."
    if learned.cut == 0:
        return "No text was cut."
    words = learned.words_cut
    lost = (
        ""
        if words is None
        else f": {count(words)} {'word was' if words == 1 else 'words were'} lost"
    )
    were = "text was" if learned.cut == 1 else "texts were"
    return f"{count(learned.cut)} {were} longer than the model was let read, and cut{lost}."


def _classes(learned: Learned) -> str:
    """Name the classes, most common first, with how much of the texts and of the answers each
    is.
    """
    shares = sorted((learned.classes or {}).items(), key=lambda one: -one[1].texts.value)
    named = [
        (
            f"{quoted(name)} {number(one.texts.value)} of the texts, "
            f"{number(one.predicted.value)} of the predictions"
        )
        for name, one in shares[:MOST]
    ]
    more = [f"{count(len(shares) - MOST)} more"] if len(shares) > MOST else []
    return f"Classes: {'; '.join([*named, *more])}." if named else ""
