"""Sentences on how well the model predicts: a map of guesses explains nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sightline.core.results import Estimate, Learned, Reason
from sightline.report.number_format import (
    count,
    count_phrase,
    percent,
    percent_in_brackets,
    percentage,
    places_of,
    texts,
)
from sightline.report.sentences import quoted
from sightline.verdict.verdict_table import NO_BETTER

TITLE = "Model"
MOST = 6
"""Classes that are named one by one."""


def learning(learned: Learned, reasons: Sequence[Reason] = ()) -> list[str]:
    """Say how often the model is right, what the majority class would reach, whether training
    converged, and how many texts were truncated.

    ``reasons`` are the reasons of the verdict; what they say is not repeated.
    """
    already_said = any(one.words == NO_BETTER for one in reasons)
    said = (
        _doubt(learned, already_said),
        accuracy(learned),
        _converged(learned.converged),
        _cut(learned),
        _unseen(learned),
    )
    return [one for one in said if one]


def accuracy_notes(learned: Learned) -> list[str]:
    """Say what else is known of the model: its distance to guessing, and its classes."""
    # In percent of the texts: "better by 26 %" could also be a share of the other accuracy.
    above = f"Of the texts, it gets {percent(learned.above)} more right than the majority class."
    return [one for one in (above, *_chance(learned), _classes(learned)) if one]


def _doubt(learned: Learned, already_said: bool) -> str:
    """Say if the model may be guessing; the advice says so where it is worse."""
    if learned.something or learned.worse or already_said:
        return ""
    if learned.beats_chance:
        return "It beats chance, but not surely the majority class."
    return "These texts do not show that the model is better than guessing."


def accuracy(learned: Learned) -> str:
    """Say how often the model is right, and how often the majority class is."""
    guessing = learned.guessing
    majority = (
        f"majority class {percentage(guessing.value, places_of(learned.accuracy))}"
        if guessing.n == learned.accuracy.n
        else f"majority class {percent(guessing)}"
    )
    return f"Accuracy {percent(learned.accuracy, majority)}."


def _chance(learned: Learned) -> Iterator[str]:
    """Say how often the same predictions would be right in random order."""
    if learned.chance is not None and learned.above_chance is not None:
        yield (
            f"The same predictions in random order: {percent(learned.chance)}; "
            f"of the texts, it gets {percent(learned.above_chance)} more right than these."
        )


def _converged(converged: bool | None) -> str:
    if converged is None:
        return "Whether training converged is unknown."
    return "Training converged." if converged else "Training stopped before it converged."


def _cut(learned: Learned) -> str:
    if learned.cut is None or learned.cut_of is None:
        return "How many texts were truncated is unknown."
    words = learned.words_cut
    lost = f" ({count_phrase(words, 'word')} lost)" if words else ""
    return f"{count(learned.cut)} of {count_phrase(learned.cut_of, 'text')} truncated{lost}."


def _unseen(learned: Learned) -> str:
    """Say how many words were left out because the model has no token for them."""
    words = learned.words_unseen
    if not words:
        return ""
    were = "was" if words == 1 else "were"
    return (
        f"{count_phrase(words, 'word')} {were} left out, because the tokenizer of the model has no "
        f"token for {'it' if words == 1 else 'them'}."
    )


def _classes(learned: Learned) -> str:
    """Name the classes, the most common first, with their texts and their predictions."""
    shares = sorted((learned.classes or {}).items(), key=lambda one: -one[1].texts.value)
    named = [
        f"{quoted(name)} {_counted(one.texts)} of {texts(one.texts.n)} ({percent_in_brackets(one.texts)}), "
        f"predicted for {_counted(one.predicted)} ({percent_in_brackets(one.predicted)})"
        for name, one in shares[:MOST]
    ]
    more = [f"{count(len(shares) - MOST)} more"] if len(shares) > MOST else []
    return f"Classes: {'; '.join([*named, *more])}." if named else ""


def _counted(share: Estimate) -> str:
    """Give the number of texts behind a share."""
    return count(round(share.value * share.n)) if share.n else "0"
