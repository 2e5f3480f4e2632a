"""Whether the model has learned anything, in plain sentences: an explanation of guesses explains nothing."""

from __future__ import annotations

from sightline.report.numerals import KEEP, count, interval, with_n
from sightline.results import Learned


def learning(learned: Learned) -> list[str]:
    """Say how often the model is right, what guessing would reach, and what is known of its training and its texts."""
    known = (learned.accuracy, learned.guessing, learned.above)
    # As a rule they are of the same texts, and these are counted once.
    once = len({one.n for one in known}) == 1
    accuracy, guessing, above = map(interval if once else with_n, known)
    n = f" (n{KEEP}={KEEP}{count(learned.above.n)})" if once else ""
    told = f"Accuracy {accuracy}; always saying the most common class: {guessing}; difference {above}{n}."
    return [told, *filter(None, (_guessing(learned), _converged(learned.converged), _cut(learned.cut)))]


def _guessing(learned: Learned) -> str:
    """Say so where the model may as well guess."""
    if learned.something:
        return ""
    return "As far as these texts can tell, the model is no better than guessing."


def _converged(converged: bool | None) -> str:
    if converged is None:
        return "Whether its training had converged is not known."
    return "Its training had converged." if converged else "Its training was cut short before it had converged."


def _cut(cut: int | None) -> str:
    if cut is None:
        return "How many texts were cut is not known."
    if cut == 0:
        return "No text was cut."
    return f"{count(cut)} {'text was' if cut == 1 else 'texts were'} longer than the model was let read, and cut."
